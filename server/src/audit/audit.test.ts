import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { createService, type TestService } from '../../test/service.ts'
import { createWorld, eventually, type World } from '../../test/world.ts'
import { credited, creditEvents, openAccount, pay } from '../../test/virtual-accounts.ts'
import { checkoutDir } from '../config.ts'
import { auditOrganization } from './operations.ts'

// Books that are spoiled on purpose stay spoiled, so each test has a database of its own.

type Spoilt = {
  service: TestService
  world: World
  lines: string[]
  spoil(text: string, values?: unknown[]): Promise<void>
}

/** An organization with five sealed lines, and hands that can reach past every guard. */
async function spoilable(t: TestContext): Promise<Spoilt> {
  const service = await createService({ env: { KOLO_LOG_LEVEL: 'silent' } })
  const world = await createWorld(t, service, { isAudited: false })
  for (const amount of [100, 200, 300, 400, 500]) await world.fund('NGN', amount)
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  t.after(() => client.end())
  await eventually('everything is sealed', async () => {
    const { rows } = await client.query<{ sealed: string | null; waiting: string }>(
      `select (select max(last_line) from ledger_seals where kind = 'available') as sealed, (select count(*) from ledger_unsealed) as waiting`,
    )
    return String(rows[0]?.sealed) === '5' && String(rows[0]?.waiting) === '0'
  })
  const { rows } = await client.query<{ id: string }>('select id from ledger_lines order by credit_line')
  return {
    service,
    world,
    lines: rows.map(({ id }) => id),
    async spoil(text, values) {
      await client.query('begin')
      await client.query('alter table ledger_lines disable trigger all')
      await client.query('alter table ledger_seals disable trigger all')
      await client.query(text, values)
      await client.query('alter table ledger_lines enable trigger all')
      await client.query('alter table ledger_seals enable trigger all')
      await client.query('commit')
    },
  }
}

async function findingsOf({ service, world }: Spoilt): Promise<string[]> {
  const findings = await auditOrganization(service.deps, world.organizationId)
  return findings.map(({ check, subject }) => `${check}: ${subject}`)
}

function kolo(databaseUrl: string, dataDir: string, ...words: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, KOLO_DATA_DIR: dataDir }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(checkoutDir, 'server/bin/kolo.js'), ...words], { env }, (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout }),
    )
  })
}

test('books nobody touched are found right, and kolo audit ends with 0', async (t) => {
  const spoilt = await spoilable(t)
  assert.deepEqual(await findingsOf(spoilt), [])
  const { databaseUrl, deps } = spoilt.service
  const { code, output } = await kolo(databaseUrl, deps.config.dataDir, 'audit', '--json')
  assert.equal(code, 0)
  const said = JSON.parse(output) as { isFine: boolean; organizations: number; lines: number; findings: unknown[] }
  // Five lines, each seen from both of its accounts.
  assert.deepEqual(said, { isFine: true, organizations: 1, lines: 10, findings: [] })
})

test('a line changed by hand is named by its id, and kolo audit ends with 1', async (t) => {
  const spoilt = await spoilable(t)
  await spoilt.spoil(`update ledger_lines set description = 'another story' where id = $1`, [spoilt.lines[2]])
  assert.deepEqual(await findingsOf(spoilt), [`seals: line ${spoilt.lines[2]}`, `seals: line ${spoilt.lines[2]}`])
  const { databaseUrl, deps } = spoilt.service
  const { code, output } = await kolo(databaseUrl, deps.config.dataDir, 'audit', '--json')
  assert.equal(code, 1)
  const { isFine, findings } = JSON.parse(output) as { isFine: boolean; findings: { subject: string }[] }
  assert.equal(isFine, false)
  assert.equal(findings[0]?.subject, `line ${spoilt.lines[2]}`)
  assert.match((await kolo(databaseUrl, deps.config.dataDir, 'audit')).output, new RegExp(`WRONG.*${spoilt.lines[2]}`))
})

test('a changed amount is named by its line and shows in the counters', async (t) => {
  const spoilt = await spoilable(t)
  await spoilt.spoil('update ledger_lines set amount = amount + 1 where id = $1', [spoilt.lines[1]])
  assert.deepEqual(await findingsOf(spoilt), [
    `seals: line ${spoilt.lines[1]}`,
    'counters: NGN available',
    `seals: line ${spoilt.lines[1]}`,
    'counters: NGN outside',
  ])
})

test('a line and its balances rewritten to fit is still named', async (t) => {
  const spoilt = await spoilable(t)
  await spoilt.spoil(
    `update ledger_lines set amount = amount + 5, credit_balance = credit_balance + 5, debit_balance = debit_balance - 5 where id = $1`,
    [spoilt.lines[4]],
  )
  await spoilt.spoil(`update ledger_accounts set credits = credits + 5 where currency = 'NGN' and kind = 'available'`)
  await spoilt.spoil(`update ledger_accounts set debits = debits + 5 where currency = 'NGN' and kind = 'outside'`)
  assert.deepEqual(await findingsOf(spoilt), [`seals: line ${spoilt.lines[4]}`, `seals: line ${spoilt.lines[4]}`])
})

test('a deleted line is named by the id it had, whether it was the last or not', async (t) => {
  for (const index of [2, 4]) {
    const spoilt = await spoilable(t)
    await spoilt.spoil('delete from ledger_lines where id = $1', [spoilt.lines[index]])
    const findings = await findingsOf(spoilt)
    assert.ok(findings.includes(`seals: line ${spoilt.lines[index]}`), findings.join('\n'))
    assert.ok(findings.includes('counters: NGN available'), findings.join('\n'))
    assert.ok(findings.includes('counters: NGN outside'), findings.join('\n'))
  }
})

test('a changed counter is named by its account', async (t) => {
  for (const counter of ['credits', 'debits', 'lines']) {
    const spoilt = await spoilable(t)
    await spoilt.spoil(
      `update ledger_accounts set ${counter} = ${counter} + 1 where currency = 'NGN' and kind = 'available'`,
    )
    const findings = await findingsOf(spoilt)
    assert.ok(findings.includes('counters: NGN available'), findings.join('\n'))
  }
})

test('a forged seal and a seal taken away are found', async (t) => {
  const forged = await spoilable(t)
  await forged.spoil(
    `update ledger_seals set line_macs = set_byte(line_macs, 20, 255 - get_byte(line_macs, 20)) where kind = 'available'`,
  )
  assert.match((await findingsOf(forged)).join(), /^seals: seal NGN available \d+/)
  const robbed = await spoilable(t)
  await robbed.spoil(`delete from ledger_seals where kind = 'outside'`)
  assert.deepEqual(await findingsOf(robbed), ['seals: seal NGN outside 1'])
})

test('a status without its history or its event is found', async (t) => {
  const spoilt = await spoilable(t)
  const made = await spoilt.world.post('/v1/transfers', {
    reference: 'r1',
    sourceCurrency: 'NGN',
    targetCurrency: 'USD',
    sourceAmount: 1500,
  })
  assert.equal(made.statusCode, 201, made.body)
  const { id } = made.json<{ data: { id: string } }>().data
  assert.deepEqual(await findingsOf(spoilt), [])
  await spoilt.spoil(
    `update transfers set status = 'failed', failure_reason = 'x', completed_at = null where id = $1`,
    [id],
  )
  assert.deepEqual(await findingsOf(spoilt), [`history: transfer ${id}`])
  await spoilt.spoil('delete from events')
  assert.deepEqual(await findingsOf(spoilt), [`events: transfer ${id}`, `history: transfer ${id}`])
})

test('a credit without its lines or its event is found, and so are lines and an event without their credit', async (t) => {
  const spoilt = await spoilable(t)
  const { world } = spoilt
  const account = await openAccount(world)
  for (const amount of [100, 0.01]) await pay(world, account.accounts[0]!.accountNumber, amount)
  const [, credit] = await credited(world, account, 2)
  assert.deepEqual(await findingsOf(spoilt), [])
  await spoilt.spoil(`update ledger_lines set posting_key = 'elsewhere' where resource_id = $1 and line = 2`, [
    credit!.id,
  ])
  const found = async () => (await findingsOf(spoilt)).filter((one) => !one.startsWith('seals'))
  assert.deepEqual(await found(), [`credits: virtual_account_credit ${credit!.id}`])
  const [event] = (await creditEvents(world)).filter(
    ({ data }) => data.transactionReference === credit!.transactionReference,
  )
  await spoilt.spoil('delete from events where id = $1', [event!.id])
  assert.deepEqual(await found(), [
    `credits: virtual_account_credit ${credit!.id}`,
    `events: virtual_account_credit ${credit!.id}`,
  ])
  await spoilt.spoil('alter table virtual_account_credits disable trigger all')
  await spoilt.spoil('delete from virtual_account_credits')
  const [other] = await creditEvents(world)
  const postings = await found()
  assert.equal(postings.filter((one) => one.startsWith('credits: virtual_account_credit')).length, 2)
  assert.deepEqual(postings.at(-1), `events: event ${other!.id}`)
})

test('the audit in the background finds it by itself and shows it in the metrics', async (t) => {
  const spoilt = await spoilable(t)
  await spoilt.spoil(`update ledger_lines set reference = 'x' where id = $1`, [spoilt.lines[0]])
  // A process that starts begins a pass where no other is at it.
  const second = await createService({
    databaseUrl: spoilt.service.databaseUrl,
    roles: ['worker'],
    env: { KOLO_LOG_LEVEL: 'silent', KOLO_DATA_DIR: spoilt.service.deps.config.dataDir },
  })
  await eventually('the finding is in the metrics', async () => {
    const text = (await second.app.fastify.inject({ url: '/metrics' })).body
    return /^kolo_audit_findings [1-9]/m.test(text)
  })
})
