import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finishKolo } from '../../../test/process.ts'
import { credited, creditEvents, openAccount, pay } from '../../../test/virtual-accounts.ts'
import { createWorld, eventually, type World } from '../../../test/world.ts'
import { statement } from '../../db/sql.ts'

type Waiting = { id: string; status: string; accountNumber: string; amount: string; transactionReference: string }

const NEVER_ISSUED = '0000000404'

function kolo({ service }: World, ...args: string[]) {
  return finishKolo(args, { dataDir: service.deps.config.dataDir, env: { DATABASE_URL: service.databaseUrl } })
}

async function list(world: World): Promise<Waiting[]> {
  const { code, output } = await kolo(world, 'inbox', 'list', '--json')
  assert.equal(code, 0, output)
  return JSON.parse(output) as Waiting[]
}

/** Pays into a number nobody has; answers the notice that waits for a person. */
async function payNobody(world: World): Promise<{ id: string; transactionReference: string }> {
  const transactionReference = await pay(world, NEVER_ISSUED, 200, { customerName: 'Bola' })
  const found = statement<{ id: string }>(`select id from rail_notices where dedupe_key = $1 and status = 'unmatched'`)
  const find = () => world.service.deps.db.many(found, [`credit:${transactionReference}`])
  await eventually('it is unmatched', async () => (await find()).length === 1)
  return { id: (await find())[0]!.id, transactionReference }
}

async function metric({ service }: World, line: string): Promise<number> {
  const { body } = await service.app.fastify.inject({ url: '/metrics' })
  return Number(
    body
      .split('\n')
      .find((one) => one.startsWith(line))
      ?.split(' ')[1] ?? 0,
  )
}

test('money for an account that was never issued waits for a person, and raises a metric', async (t) => {
  const world = await createWorld(t)
  const { id } = await payNobody(world)
  const waiting = (await list(world)).find((one) => one.id === id)
  assert.deepEqual([waiting?.status, waiting?.accountNumber, waiting?.amount], ['unmatched', NEVER_ISSUED, '200'])
  assert.ok((await metric(world, 'kolo_rail_notices_total{rail="providerB",outcome="unmatched"}')) >= 1)
  assert.ok((await metric(world, 'kolo_rail_notices_unmatched{status="unmatched"}')) >= 1)
  const { output, code } = await kolo(world, 'doctor', '--json')
  const { findings } = JSON.parse(output) as { findings: { check: string; isFine: boolean }[] }
  assert.equal(findings.find(({ check }) => check === 'rail inbox')?.isFine, false)
  assert.equal(findings.find(({ check }) => check === 'rails')?.isFine, true)
  assert.equal(code, 1)
  assert.match((await kolo(world, 'inbox', 'list')).output, /200 NGN into 0000000404, transaction .*, from Bola/)
})

test('an assigned transfer is a credit of that account, and the act is in the audit log', async (t) => {
  const world = await createWorld(t)
  const account = await openAccount(world)
  const { accountNumber } = account.accounts[0]!
  const { id, transactionReference } = await payNobody(world)
  const assigned = await kolo(
    world,
    'inbox',
    'assign',
    '--id',
    id,
    '--account',
    accountNumber,
    '--note',
    'typed wrongly',
  )
  assert.equal(assigned.code, 0, assigned.output)
  const [credit] = await credited(world, account, 1)
  assert.deepEqual([credit?.transactionReference, credit?.netAmount], [transactionReference, 198])
  assert.equal((await creditEvents(world)).length, 1)
  const acts = await world.service.deps.db.many(
    statement<{ action: string; actor: string; resource: string }>(
      'select action, actor_type as actor, resource_id as resource from audit_log where organization_id = $1',
    ),
    [world.organizationId],
  )
  assert.ok(
    acts.some(({ action, actor, resource }) => action === 'inbox.assigned' && actor === 'operator' && resource === id),
  )
  const again = await kolo(world, 'inbox', 'assign', '--id', id, '--account', accountNumber)
  assert.equal(again.code, 1)
  assert.match(again.output, /The notice is applied/)
})

test('a returned transfer goes back at the provider, once', async (t) => {
  const world = await createWorld(t)
  const { id, transactionReference } = await payNobody(world)
  const returned = await kolo(world, 'inbox', 'return', '--id', id, '--json')
  assert.deepEqual([returned.code, JSON.parse(returned.output)], [0, { id, status: 'returned' }])
  const { db } = world.service.deps
  const [theirs] = await db.many(
    statement<{ returnId: string }>(
      'select return_id as "returnId" from simulator.virtual_account_credits where transaction_reference = $1',
    ),
    [transactionReference],
  )
  assert.equal(theirs?.returnId, id)
  const decisions = await db.many(
    statement<{ decision: string }>('select decision from rail_notice_decisions where notice_id = $1 order by id'),
    [id],
  )
  assert.deepEqual(
    decisions.map(({ decision }) => decision),
    ['return_asked', 'returned'],
  )
  assert.equal((await kolo(world, 'inbox', 'return', '--id', id)).code, 1)
  assert.equal(await world.balance('NGN'), 0)
})

test('a command that names nothing says how to call it', async (t) => {
  const world = await createWorld(t)
  assert.match((await kolo(world, 'inbox', 'assign')).output, /kolo inbox assign --id/)
  const { output } = await kolo(world, 'inbox', 'return', '--id', world.organizationId)
  assert.match(output, /no such notice/)
})
