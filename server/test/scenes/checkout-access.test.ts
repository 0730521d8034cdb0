import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  atProvider,
  choose,
  createPayer,
  createPayment,
  createScene,
  desktop,
  heading,
  phone,
  picture,
  scan,
} from './stage.ts'
import { createWorld } from '../world.ts'

test('keyboard alone is enough, and focus follows what is shown', async (t) => {
  const { world, payment, payer, page } = await createScene(t)
  await payer.open(payment.paymentLink)
  const focused = () => page.evaluate('document.activeElement.textContent.replace(/\\s+/g, " ").trim()')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Skip to the payment')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  for (let steps = 0; steps < 10 && !String(await focused()).startsWith('Bank transfer'); steps += 1) {
    await page.keyboard.press('Tab')
  }
  if ((await page.getByRole('button', { name: 'Show account details' }).count()) === 0)
    await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Show account details')
  await page.keyboard.press('Enter')
  await heading(page, 'Send the money by bank transfer')
  assert.equal(await focused(), 'Send the money by bank transfer')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Copy account number')
  await world.post(`/v1/sandbox/payments/${payment.id}/execute`)
  await heading(page, 'Paid. Thank you.')
  assert.equal(await focused(), 'Paid. Thank you.')
  assert.match(await page.getByRole('status').innerText(), /^Paid\. Thank you\..*World has been told/)
})

test('nothing is wider than a small phone', async (t) => {
  const { payment, payer, page } = await createScene(
    t,
    { sourceAmount: 90_071_992_547.4, description: 'x'.repeat(255) },
    { viewport: { width: 320, height: 600 } },
  )
  await payer.open(payment.paymentLink)
  const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  assert.equal(await page.evaluate(isWide), false)
  await choose(page, /.*/, /.*/).catch(() => undefined)
  assert.equal(await page.evaluate(isWide), false)
})

/** Each width and each scheme once; every pair where somebody wants to look. */
const looks = [
  ['light', 'phone'],
  ['dark', 'desktop'],
  ...(process.env['KOLO_TEST_PICTURES']
    ? ([
        ['light', 'desktop'],
        ['dark', 'phone'],
      ] as const)
    : []),
] as const

for (const [colorScheme, width] of looks) {
  const viewport = { phone, desktop }[width]
  test(`every state, ${colorScheme}, at ${width} width, has no serious finding`, async (t) => {
    const world = await createWorld(t)
    const { page } = await createPayer(t, world, { viewport, colorScheme })
    const show = async (name: string, title: string | RegExp) => {
      await heading(page, title)
      await picture(page, `${name}-${width}-${colorScheme}`)
      await scan(page)
    }
    const open = async (wish: Record<string, unknown> = {}) => {
      const payment = await createPayment(world, wish)
      await page.goto(payment.paymentLink)
      return { payment, tell: (verb: string) => world.post(`/v1/sandbox/payments/${payment.id}/${verb}`) }
    }

    const ghs = { sourceCurrency: 'GHS', targetCurrency: 'NGN', sourceAmount: 1250.5, expiresIn: 3600 }
    await page.goto(`${world.service.origin}/pay/${'A'.repeat(32)}`)
    await show('unknown-link', 'There is no such payment link')

    const transfer = await open()
    await show('choosing', 'How would you like to pay?')
    await choose(page, 'Bank transfer', 'Show account details')
    await show('transfer', 'Send the money by bank transfer')
    await transfer.tell('execute')
    await show('paid', 'Paid. Thank you.')

    await open(ghs)
    const way = page.locator('details').filter({ has: page.getByLabel('Mobile money number') })
    if ((await way.getAttribute('open')) === null) await way.locator('summary').click()
    await show('choosing-converted', 'How would you like to pay?')
    await way.getByRole('radio').first().check()
    await page.getByLabel('Mobile money number').fill('+233 24 123 4567')
    await way.getByRole('button').click()
    await show('prompt', 'Approve on your phone')
    await show('paid-converted', 'Paid. Thank you.')

    await open()
    await choose(page, 'Card', 'Continue to card entry')
    await page.waitForURL((url) => url.origin !== world.service.origin)
    await picture(page, `provider-card-${width}-${colorScheme}`)
    await scan(page)

    const bank = await open()
    await choose(page, 'Pay by bank', 'Continue to your bank')
    await page.waitForURL((url) => url.origin !== world.service.origin)
    await picture(page, `provider-bank-${width}-${colorScheme}`)
    await scan(page)
    await page.goBack()
    await show('approving', 'Approve at your bank')
    await page.getByRole('link', { name: 'Continue to your bank' }).click()
    await atProvider(page, 'decline')
    await page.getByText('was declined. No money was taken.').waitFor()
    await show('declined', 'How would you like to pay?')
    await bank.tell('initiate')
    await show('on-its-way', 'Your payment is on its way')
    await bank.tell('fail')
    await show('failed', 'The payment did not go through')

    const cancelled = await open()
    await world.post(`/v1/payments/${cancelled.payment.id}/cancel`)
    await show('cancelled', 'This payment was cancelled')

    const replaced = await open()
    await world.post(`/v1/payments/${replaced.payment.id}/refresh-link`)
    await page.context().clearCookies()
    await page.goto(replaced.payment.paymentLink)
    await show('link-too-old', 'This payment link is too old')

    await open({ expiresIn: 300 })
    await world.advance(301)
    await show('expired', 'This payment has expired')
  })
}
