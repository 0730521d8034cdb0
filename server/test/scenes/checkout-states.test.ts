import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atProvider, choose, createPayer, createScene, heading, statusOf } from './stage.ts'

test('a payment that expires while it is looked at says so by itself', async (t) => {
  const { world, payment, payer, page } = await createScene(t, { expiresIn: 600 })
  await payer.open(payment.paymentLink)
  assert.match(await page.locator('[data-countdown]').innerText(), /^(10:00|9:\d\d) min$/)
  await world.advance(601)
  await heading(page, 'This payment has expired')
  assert.equal(await page.locator('[data-countdown]').count(), 0)
})

test('a cancelled payment says so by itself, also to a payer who was shown account details', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await choose(page, 'Bank transfer', 'Show account details')
  await heading(page, 'Send the money by bank transfer')
  await world.post(`/v1/payments/${payment.id}/cancel`)
  await heading(page, 'This payment was cancelled')
})

test('a payment rejected for good says so, with nothing left to press', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await world.post(`/v1/sandbox/payments/${payment.id}/fail`)
  await heading(page, 'The payment did not go through')
  assert.equal(await page.getByRole('button').count(), 0)
})

test('an accepted instruction is on its way until the money is confirmed', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await world.post(`/v1/sandbox/payments/${payment.id}/initiate`)
  await heading(page, 'Your payment is on its way')
  await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
  await heading(page, 'Paid. Thank you.')
})

test('a link too old tells a stranger what to do, and lets the payer who opened it in time finish', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  const refreshed = await world.post(`/v1/payments/${payment.id}/refresh-link`)
  const stranger = await createPayer(t, world)
  await stranger.open(payment.paymentLink)
  await heading(stranger.page, 'This payment link is too old')
  await stranger.open(refreshed.json<{ data: { paymentLink: string } }>().data.paymentLink)
  await heading(stranger.page, 'How would you like to pay?')
  await page.reload()
  await choose(page, 'Pay by bank', 'Continue to your bank')
  await atProvider(page, 'approve')
  await heading(page, 'Paid. Thank you.')
  await heading(stranger.page, 'Paid. Thank you.')
})

test('two tabs show the same, whichever of them is used', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  const second = await payer.newTab()
  await payer.open(payment.paymentLink)
  await second.goto(payment.paymentLink)
  await choose(page, 'Bank transfer', 'Show account details')
  await heading(second, 'Send the money by bank transfer')
  await second.getByRole('button', { name: 'Choose another way instead' }).click()
  await heading(page, 'How would you like to pay?')
  await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
  await Promise.all([page, second].map((tab) => heading(tab, 'Paid. Thank you.')))
})

test('reloading never sends anything twice', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await choose(page, 'Bank transfer', 'Show account details')
  await heading(page, 'Send the money by bank transfer')
  const number = await page.locator('dd.number').innerText()
  await page.reload()
  assert.equal(await page.locator('dd.number').innerText(), number)
  assert.equal(await statusOf(world, payment), 'authorising')
})

test('a lost connection is said, and the page catches up when it is back', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await choose(page, 'Bank transfer', 'Show account details')
  await heading(page, 'Send the money by bank transfer')
  await page.context().setOffline(true)
  await page.getByText('No connection.').waitFor()
  await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
  await page.context().setOffline(false)
  await heading(page, 'Paid. Thank you.')
  await page.getByText('No connection.').waitFor({ state: 'hidden' })
})

test('where no stream can be opened the page asks instead', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await page.route('**/live', (route) => route.abort())
  await payer.open(payment.paymentLink)
  await heading(page, 'How would you like to pay?')
  await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
  await heading(page, 'Paid. Thank you.')
})

test('whoever saw the payment end is taken back, told how it ended; whoever opens it later stays', async (t) => {
  const redirectUrl = 'https://shop.example/thanks?cart=7'
  const { world, payment, payer, page } = await createScene(t, { redirectUrl })
  await page.context().route('https://shop.example/**', (route) => route.fulfill({ body: 'the shop' }))
  await page.clock.install()
  await payer.open(payment.paymentLink)
  await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
  await heading(page, 'Paid. Thank you.')
  await page.getByText('Taking you back to World').waitFor()
  await page.clock.runFor(9_000)
  await page.waitForURL('https://shop.example/**')
  const { searchParams } = new URL(page.url())
  assert.deepEqual(
    ['cart', 'paymentId', 'reference', 'status'].map((name) => searchParams.get(name)),
    ['7', payment.id, payment.reference, 'executed'],
  )
  const later = await createPayer(t, world)
  await later.open(payment.paymentLink)
  await heading(later.page, 'Paid. Thank you.')
  assert.equal(await later.page.getByText('Taking you back').isVisible(), false)
  const link = later.page.getByRole('link', { name: 'Return to World' })
  assert.ok((await link.getAttribute('href'))?.startsWith('https://shop.example/thanks?cart=7&paymentId='))
})
