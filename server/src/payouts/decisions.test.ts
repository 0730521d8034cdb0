import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberOf, ownerOf, type SignedIn } from '../../test/members.ts'
import { account, eventsOf, pay, payout, reaches, wallet, type Payout } from '../../test/payouts.ts'
import { createWorld, type World } from '../../test/world.ts'
import { payoutMoves, payoutStatuses } from './states.ts'

type Refused = { error: { code: string } }

/** An organization in which payouts of 5,000 NGN or more wait for approval. */
async function careful(world: World): Promise<{ owner: SignedIn; payoutAccountId: string }> {
  const owner = await ownerOf(world)
  const path = `/v1/organizations/${world.organizationId}`
  const changed = await world.patch(path, { approvalThresholds: { NGN: 5_000 } }, owner.headers)
  assert.equal(changed.statusCode, 200, changed.body)
  await world.fund('NGN', 100_000)
  return { owner, payoutAccountId: (await account(world)).id }
}

async function decide(world: World, made: Payout, verb: string, who: SignedIn, body?: object) {
  const response = await world.post(`/v1/payouts/${made.id}/${verb}`, body, who.headers)
  const read = response.json<{ data?: Payout } & Partial<Refused>>()
  return { status: response.statusCode, code: read.error?.code, payout: read.data }
}

test('from the threshold on a payout waits for approval, and below it does not', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId } = await careful(world)
  const below = await pay(world, { payoutAccountId, sourceAmount: 4_999.99 })
  const at = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  assert.deepEqual([below.status, below.requiresApproval], ['pending', false])
  assert.deepEqual([at.status, at.requiresApproval], ['pending_approval', true])
  assert.equal((await eventsOf(world, at.id))[0]?.type, 'payout.created')
  assert.equal((await wallet(world)).heldBalance >= 5_025, true)
})

test('an approved payout goes out, and says who approved it', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId } = await careful(world)
  const made = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  const approver = await memberOf(world, 'approver')
  const approved = await decide(world, made, 'approve', approver)
  assert.deepEqual([approved.status, approved.payout?.status], [200, 'pending'])
  assert.equal(approved.payout?.approvedBy, approver.id)
  const done = await reaches(world, made.id, 'completed')
  assert.deepEqual(
    done.statusHistory.map(({ status }) => status),
    ['pending_approval', 'pending', 'processing', 'completed'],
  )
  assert.deepEqual(
    (await eventsOf(world, made.id)).map(({ type, data }) => [type, data['previousStatus']]),
    [
      ['payout.created', undefined],
      ['payout.processing', 'pending'],
      ['payout.completed', 'processing'],
    ],
  )
  const again = await decide(world, made, 'approve', approver)
  assert.deepEqual([again.status, again.code], [409, 'payout_not_pending_approval'])
})

test('a rejected payout is cancelled with its reason, and everything comes back', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId } = await careful(world)
  const made = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  const approver = await memberOf(world, 'approver')
  const rejected = await decide(world, made, 'reject', approver, { reason: 'Wrong supplier' })
  assert.deepEqual([rejected.payout?.status, rejected.payout?.failureReason], ['cancelled', 'Wrong supplier'])
  assert.deepEqual(await wallet(world), { balance: 100_000, heldBalance: 0 })
  assert.equal((await eventsOf(world, made.id)).at(-1)?.type, 'payout.cancelled')
  for (const verb of ['approve', 'reject'])
    assert.equal((await decide(world, made, verb, approver)).code, 'payout_not_pending_approval')
})

test('an administrator cancels what no provider was told of, twice without harm', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId, owner } = await careful(world)
  const made = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  const cancelled = await decide(world, made, 'cancel', owner)
  assert.deepEqual([cancelled.status, cancelled.payout?.status], [200, 'cancelled'])
  assert.equal((await decide(world, made, 'cancel', owner)).status, 200)
  assert.deepEqual(await wallet(world), { balance: 100_000, heldBalance: 0 })
  assert.equal((await eventsOf(world, made.id)).filter(({ type }) => type === 'payout.cancelled').length, 1)
  const sent = await pay(world, { payoutAccountId, sourceAmount: 1 })
  await reaches(world, sent.id, 'completed')
  const late = await decide(world, sent, 'cancel', owner)
  assert.deepEqual([late.status, late.code], [409, 'payout_not_cancellable'])
})

test('approving, rejecting and cancelling take a member with the role', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId } = await careful(world)
  const made = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  for (const verb of ['approve', 'reject', 'cancel']) {
    const byKey = await world.post(`/v1/payouts/${made.id}/${verb}`)
    assert.deepEqual([byKey.statusCode, byKey.json<Refused>().error.code], [403, 'member_required'])
    for (const role of ['viewer', 'developer'] as const) {
      const refused = await decide(world, made, verb, await memberOf(world, role))
      assert.deepEqual([refused.status, refused.code], [403, 'role_missing'], `${role} ${verb}`)
    }
  }
  const approver = await memberOf(world, 'approver')
  assert.equal((await decide(world, made, 'cancel', approver)).code, 'role_missing')
  const byDeveloper = await world.post(
    '/v1/payouts',
    { reference: 'dev', payoutAccountId, sourceAmount: 1 },
    (await memberOf(world, 'developer')).headers,
  )
  assert.deepEqual([byDeveloper.statusCode, byDeveloper.json<Refused>().error.code], [403, 'role_missing'])
  assert.equal((await payout(world, made.id)).status, 'pending_approval')
})

test('nobody approves a payout of their own, nor one of a key they made', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId, owner } = await careful(world)
  const admin = await memberOf(world, 'admin')
  const own = await pay(world, { payoutAccountId, sourceAmount: 5_000 }, admin.headers)
  assert.equal(own.createdBy, admin.id)
  assert.deepEqual((await decide(world, own, 'approve', admin)).code, 'self_approval')
  const made = await world.post(`/v1/organizations/${world.organizationId}/api-keys`, { name: 'mine' }, admin.headers)
  assert.equal(made.statusCode, 201, made.body)
  const { key, id } = made.json<{ data: { key: string; id: string } }>().data
  const byKey = await pay(world, { payoutAccountId, sourceAmount: 5_000 }, { authorization: `Bearer ${key}` })
  assert.equal(byKey.createdBy, id)
  assert.deepEqual((await decide(world, byKey, 'approve', admin)).code, 'self_approval')
  assert.equal((await payout(world, byKey.id)).status, 'pending_approval')
  for (const one of [own, byKey]) assert.equal((await decide(world, one, 'approve', owner)).status, 200)
  const byFirstKey = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  assert.equal((await decide(world, byFirstKey, 'approve', owner)).status, 200)
})

test('lowering or removing a threshold releases nothing that waits', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId, owner } = await careful(world)
  const made = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  const path = `/v1/organizations/${world.organizationId}`
  await world.patch(path, { approvalThresholds: { NGN: null } }, owner.headers)
  const free = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  await reaches(world, free.id, 'completed')
  assert.equal((await payout(world, made.id)).status, 'pending_approval')
})

test('after 7 days without a decision a payout is cancelled', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId } = await careful(world)
  const made = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
  await world.advance(7 * 86_400 - 60)
  assert.equal((await payout(world, made.id)).status, 'pending_approval')
  await world.advance(120)
  const cancelled = await payout(world, made.id)
  assert.deepEqual([cancelled.status, cancelled.failureReason], ['cancelled', 'approval_expired'])
  const at = Date.parse(cancelled.statusHistory.at(-1)!.at) - Date.parse(cancelled.createdAt)
  assert.equal(at, 7 * 86_400_000)
  assert.deepEqual(await wallet(world), { balance: 100_000, heldBalance: 0 })
})

test('of an approval and a cancellation at the same moment one wins', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId, owner } = await careful(world)
  const approver = await memberOf(world, 'approver')
  for (let round = 0; round < 5; round += 1) {
    const made = await pay(world, { payoutAccountId, sourceAmount: 5_000 })
    const [approved, rejected] = await Promise.all([
      decide(world, made, 'approve', approver),
      decide(world, made, 'reject', owner),
    ])
    assert.equal(approved.status + rejected.status, 200 + 409)
    await reaches(world, made.id, approved.status === 200 ? 'completed' : 'cancelled')
  }
})

test('every decision is in the audit log', async (t) => {
  const world = await createWorld(t)
  const { payoutAccountId, owner } = await careful(world)
  const approver = await memberOf(world, 'approver')
  const made = [1, 2, 3].map(() => pay(world, { payoutAccountId, sourceAmount: 5_000 }))
  const [one, two, three] = await Promise.all(made)
  await decide(world, one!, 'approve', approver)
  await decide(world, two!, 'reject', approver, { reason: 'No' })
  await decide(world, three!, 'cancel', owner)
  const path = `/v1/organizations/${world.organizationId}/audit-log?limit=100`
  const { auditEntries } = (await world.get(path, owner.headers)).json<{
    data: { auditEntries: { action: string; resourceId: string }[] }
  }>().data
  const acts = auditEntries.filter(({ action }) => action.startsWith('payout.'))
  assert.deepEqual(Object.fromEntries(acts.map(({ action, resourceId }) => [action, resourceId])), {
    'payout.approved': one!.id,
    'payout.cancelled': three!.id,
    'payout.rejected': two!.id,
  })
})

test('the table of moves is the one the contract lists', () => {
  const moves = payoutStatuses.flatMap((from) =>
    Object.entries(payoutMoves[from]).map(([to, told]) => [from, to, told]),
  )
  assert.deepEqual(moves, [
    ['pending_approval', 'pending', 'silent'],
    ['pending_approval', 'cancelled', 'payout.cancelled'],
    ['pending', 'processing', 'payout.processing'],
    ['pending', 'cancelled', 'payout.cancelled'],
    ['processing', 'completed', 'payout.completed'],
    ['processing', 'failed', 'payout.failed'],
  ])
})
