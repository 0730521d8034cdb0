import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atProvider, choose, createScene, heading, statusOf } from './stage.ts'

test('a bank transfer: exact details to copy, then the receipt when the money is there', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await choose(page, 'Bank transfer', 'Show account details')
  await heading(page, 'Send the money by bank transfer')
  assert.equal(await statusOf(world, payment), 'authorising')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy account number' }).click()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  assert.match(String(copied), /^\d{10}$/)
  await page.getByRole('button', { name: 'Copy amount' }).click()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), '184500.00')
  await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
  await heading(page, 'Paid. Thank you.')
  assert.match(await page.locator('.receipt').innerText(), /NGN\s184,500\.00[\s\S]*Bank transfer[\s\S]*INV-2026/)
})

for (const [method, button, title] of [
  ['Pay by bank', 'Continue to your bank', /bank/i],
  ['Card', 'Continue to card entry', /card/i],
] as const) {
  test(`${method}: to the provider's page, approved there, and back to the receipt`, async (t) => {
    const { world, payment, payer, page } = await createScene(t)
    await payer.open(payment.paymentLink)
    await choose(page, method, button)
    await page.waitForURL((url) => url.origin !== world.service.origin)
    assert.match(await page.locator('body').innerText(), title)
    await atProvider(page, 'approve')
    await heading(page, 'Paid. Thank you.')
    assert.equal(new URL(page.url()).pathname, `/pay/${payment.linkToken}`)
  })
}

test('mobile money: a wrong number is told at its field, a right one gets a prompt', async (t) => {
  const { world, payment, payer, page } = await createScene(t, { sourceCurrency: 'GHS', sourceAmount: 1250.5 })
  await payer.open(payment.paymentLink)
  const way = page.locator('details').filter({ has: page.getByLabel('Mobile money number') })
  if ((await way.getAttribute('open')) === null) await way.locator('summary').click()
  await way.getByRole('radio').first().check()
  const number = page.getByLabel('Mobile money number')
  await number.fill('12')
  await number.press('Enter')
  await page.getByText('Please check this number.').waitFor()
  assert.equal(await number.evaluate((field) => field === field.ownerDocument.activeElement), true)
  assert.equal(await number.inputValue(), '12')
  await number.fill('024 123 4567')
  await number.press('Enter')
  await heading(page, 'Approve on your phone')
  assert.match(await page.locator('main').innerText(), /\+233 ••• 4567[\s\S]*GHS\s1,250\.50/)
  await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
  await heading(page, 'Paid. Thank you.')
})

test('declined at the bank: said plainly, and another way works', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await choose(page, 'Pay by bank', 'Continue to your bank')
  await atProvider(page, 'decline')
  await page.getByText('Pay by bank was declined. No money was taken.').waitFor()
  assert.equal(await statusOf(world, payment), 'pending')
  await choose(page, 'Card', 'Continue to card entry')
  await atProvider(page, 'approve')
  await heading(page, 'Paid. Thank you.')
})

test('abandoned at the provider: the payer comes back and chooses again', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await choose(page, 'Card', 'Continue to card entry')
  await page.waitForURL((url) => url.origin !== world.service.origin)
  await atProvider(page, 'abandon')
  await heading(page, 'How would you like to pay?')
  assert.equal(await statusOf(world, payment), 'pending')
})

test('the back button from the provider leads to a page that knows where the payer was', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  await choose(page, 'Pay by bank', 'Continue to your bank')
  await page.waitForURL((url) => url.origin !== world.service.origin)
  await page.goBack()
  await heading(page, 'Approve at your bank')
  await page.getByRole('button', { name: 'Choose another way to pay' }).click()
  await heading(page, 'How would you like to pay?')
  assert.equal(await statusOf(world, payment), 'pending')
})

test('without script the forms are sent, and every step can be reached', async (t) => {
  const { world, payment, payer, page } = await createScene(t, {}, { javaScriptEnabled: false })
  await payer.open(payment.paymentLink)
  await choose(page, 'Pay by bank', 'Continue to your bank')
  await heading(page, 'Approve at your bank')
  await page.getByRole('button', { name: 'Choose another way to pay' }).click()
  await heading(page, 'How would you like to pay?')
  await choose(page, 'Pay by bank', 'Continue to your bank')
  await page.getByRole('link', { name: 'Continue to your bank' }).click()
  await page.waitForURL((url) => url.origin !== world.service.origin)
  await atProvider(page, 'approve')
  await page.waitForURL((url) => url.origin === world.service.origin)
  await page.reload()
  await heading(page, /Paid|on its way/)
})
