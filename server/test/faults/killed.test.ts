import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { finishKolo, killPostgres, makeDataDir, postgresPid, startKolo, type KoloProcess } from '../process.ts'
import { eventually } from '../world.ts'

test('killed with everything under load, it starts again with the same key and every answered transfer', async () => {
  const dataDir = makeDataDir()
  const first = await startKolo({ dataDir })
  await first.call('POST', '/v1/sandbox/wallets/NGN/fund', { amount: 1_000_000 })
  const answered = new Set<string>()
  const load = Array.from({ length: 8 }, (_, worker) => transferUntilCut(first, worker, answered))
  await eventually('some are answered', () => answered.size > 20)
  first.child.kill('SIGKILL')
  killPostgres(dataDir)
  await Promise.all(load)
  const again = await startKolo({ dataDir })
  assert.equal(again.access.apiKey, first.access.apiKey)
  for (const reference of answered) {
    const found = (await (await again.call('GET', `/v1/transfers?reference=${reference}`)).json()) as {
      data: { transfers: unknown[] }
    }
    assert.equal(found.data.transfers.length, 1, reference)
  }
  assert.equal(await again.end('SIGTERM'), 0)
})

test('a database that crashes under load is back by itself: the service lives on, and loses no answer', async () => {
  const dataDir = makeDataDir()
  const kolo = await startKolo({ dataDir, env: { KOLO_LOG_LEVEL: 'fatal' } })
  await kolo.call('POST', '/v1/sandbox/wallets/NGN/fund', { amount: 1_000_000 })
  const answers = new Map<string, string>()
  let isDone = false
  const send = async (client: number) => {
    for (let number = 0; !isDone; number += 1) await transferUntilAnswered(kolo, `c${client}-${number}`, answers)
  }
  const load = Array.from({ length: 6 }, (_, client) => send(client))
  for (let crashes = 0; crashes < 3; crashes += 1) {
    const before = answers.size
    await eventually('some are answered', () => answers.size >= before + 20, 60_000)
    // Killed, a session may have spoiled what all share: PostgreSQL ends every other, and recovers as after a crash.
    process.kill(await sessionOf(dataDir), 'SIGKILL')
  }
  const before = answers.size
  await eventually('some more are answered', () => answers.size >= before + 20, 60_000)
  isDone = true
  await Promise.all(load)
  for (const [reference, body] of answers) {
    const again = await transfer(kolo, reference)
    assert.deepEqual([again.status, await again.text()], [201, body])
  }
  const wallet = (await (await kolo.call('GET', '/v1/wallets/NGN')).json()) as { data: { balance: number } }
  assert.equal(wallet.data.balance, 1_000_000 - 150 * answers.size)
  const audited = await finishKolo(['audit'], { dataDir })
  assert.equal(audited.code, 0, audited.output)
  assert.equal(await kolo.end('SIGTERM'), 0)
})

function transfer(kolo: KoloProcess, reference: string): Promise<Response> {
  const wish = { reference, sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 150 }
  return kolo.call('POST', '/v1/transfers', wish, { 'idempotency-key': reference })
}

/** Sends the same request until it is answered, as a careful client does. */
async function transferUntilAnswered(kolo: KoloProcess, reference: string, answers: Map<string, string>) {
  for (;;) {
    const answer = await transfer(kolo, reference)
    const body = await answer.text()
    if (answer.status === 201) return answers.set(reference, body)
    assert([409, 503].includes(answer.status), body)
  }
}

/** The process of a session the service has open. */
async function sessionOf(dataDir: string): Promise<number> {
  const children = execFileSync('pgrep', ['-P', String(postgresPid(dataDir))], { encoding: 'utf8' })
  const found = children.split('\n').filter((pid) => pid && / kolo kolo /.test(commandOf(pid)))
  return found.length > 0 ? Number(found[0]) : sessionOf(dataDir)
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

async function transferUntilCut(kolo: KoloProcess, worker: number, answered: Set<string>): Promise<void> {
  for (let number = 0; ; number += 1) {
    const reference = `w${worker}-${number}`
    const wish = { reference, sourceCurrency: 'NGN', targetCurrency: 'USD', sourceAmount: 150 }
    try {
      const { status } = await kolo.call('POST', '/v1/transfers', wish)
      assert.equal(status, 201)
      answered.add(reference)
    } catch {
      return
    }
  }
}
