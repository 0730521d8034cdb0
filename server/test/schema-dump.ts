import pg from 'pg'

// The schema as the system catalogues have it, in an order that does not depend on how it came about. Partitions that
// are made as time goes on are left out; the tables they belong to are not.

const tablesSql = `
  select c.oid, c.relname as name, pg_get_partkeydef(c.oid) as partitioned, c.relpersistence = 'u' as "isUnlogged",
         array_to_string(c.reloptions, ', ') as options
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by c.relname`

const columnsSql = `
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "isRequired",
         a.attidentity as identity, a.attgenerated as generated, pg_get_expr(d.adbin, d.adrelid) as value
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped
   order by a.attnum`

const constraintsSql = `
  select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
   where conrelid = $1 and contype <> 'n' order by contype = 'p' desc, conname`

const indexesSql = `
  select pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
   where i.indrelid = $1 and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = $1)
   order by c.relname`

const triggersSql = `
  select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = $1 and not tgisinternal order by tgname`

const functionsSql = `
  select pg_get_functiondef(p.oid) as definition from pg_proc p
   where p.pronamespace = 'public'::regnamespace
     and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
   order by p.proname, pg_get_function_identity_arguments(p.oid)`

type Column = { name: string; type: string; isRequired: boolean; identity: string; generated: string; value: string }
type Table = { oid: number; name: string; partitioned: string | null; isUnlogged: boolean; options: string | null }

export async function dumpSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const parts = [
      '-- The whole schema after all migrations, written by "npm run spec". To read, not to run.',
      ...(await definitions(client, functionsSql)).map((definition) => `${definition.trimEnd()};`),
    ]
    for (const table of (await client.query<Table>(tablesSql)).rows) parts.push(await tableOf(client, table))
    return `${parts.join('\n\n')}\n`
  } finally {
    await client.end()
  }
}

async function tableOf(client: pg.Client, { oid, name, partitioned, isUnlogged, options }: Table): Promise<string> {
  const columns = (await client.query<Column>(columnsSql, [oid])).rows.map(columnText)
  const constraints = (await client.query<{ name: string; definition: string }>(constraintsSql, [oid])).rows.map(
    (constraint) => `  constraint ${constraint.name} ${constraint.definition}`,
  )
  const ending = `${partitioned ? ` partition by ${partitioned}` : ''}${options ? ` with (${options})` : ''};`
  return [
    `create ${isUnlogged ? 'unlogged ' : ''}table ${name} (\n${[...columns, ...constraints].join(',\n')}\n)${ending}`,
    ...(await definitions(client, indexesSql, oid)).map((definition) => `${definition};`),
    ...(await definitions(client, triggersSql, oid)).map((definition) => `${definition};`),
  ].join('\n')
}

function columnText({ name, type, isRequired, identity, generated, value }: Column): string {
  const made = generated ? ` generated always as (${value}) stored` : value ? ` default ${value}` : ''
  const counted = identity ? ` generated ${identity === 'a' ? 'always' : 'by default'} as identity` : ''
  return `  ${name} ${type}${isRequired ? ' not null' : ''}${made}${counted}`
}

async function definitions(client: pg.Client, text: string, ...values: unknown[]): Promise<string[]> {
  return (await client.query<{ definition: string }>(text, values)).rows.map(({ definition }) => definition)
}
