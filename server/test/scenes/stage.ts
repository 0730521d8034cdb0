import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from '../browser.ts'
import { createWorld, type World } from '../world.ts'

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 860 }

/** Where pictures are written for a person to look at; unset, none are taken. */
const picturesDir = process.env['KOLO_TEST_PICTURES']

let launched: Promise<Browser> | undefined
after(async () => (await launched)?.close())

export type Payment = {
  readonly id: string
  readonly reference: string
  readonly status: string
  readonly paymentLink: string
  readonly linkToken: string
}

/** A payer with a browser of their own, watched: no page of ours may break its policy or reach another host. */
export type Payer = { readonly page: Page; open(link: string): Promise<void> }

export async function createPayer(
  t: TestContext,
  world: World,
  options: BrowserContextOptions = {},
): Promise<Payer & { newTab(): Promise<Page> }> {
  launched ??= launchBrowser()
  const context = await (await launched).newContext({ viewport: phone, reducedMotion: 'reduce', ...options })
  const faults: string[] = []
  context.on('request', (request) => {
    const { frame, url } = { frame: request.frame(), url: request.url() }
    const isOurs = url.startsWith(world.service.origin)
    const isNavigation = request.isNavigationRequest() && frame === frame.page().mainFrame()
    const isOnOurPage = frame.url().startsWith(world.service.origin)
    if (!isOurs && !isNavigation && isOnOurPage) faults.push(`asked another host: ${url}`)
  })
  context.on('weberror', (error) => faults.push(`threw: ${error.error().message}`))
  context.on('console', (message) => {
    if (/content security policy|trustedhtml/i.test(message.text())) faults.push(message.text())
  })
  t.after(async () => {
    await context.close()
    assert.deepEqual(faults, [])
  })
  // Long, because a busy machine is no fault of the page.
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  return { page, open: async (link) => void (await page.goto(link)), newTab: () => context.newPage() }
}

export async function createScene(
  t: TestContext,
  wish: Record<string, unknown> = {},
  options: BrowserContextOptions = {},
) {
  const world = await createWorld(t)
  const payment = await createPayment(world, wish)
  const payer = await createPayer(t, world, options)
  return { world, payment, payer, page: payer.page }
}

let number = 0

export async function createPayment(world: World, wish: Record<string, unknown> = {}): Promise<Payment> {
  number += 1
  const response = await world.post('/v1/payments', {
    reference: `INV-2026-${String(number).padStart(4, '0')}`,
    sourceCurrency: 'NGN',
    sourceAmount: 184_500,
    description: 'Order 1042: 12 yards of adire, hand dyed',
    ...wish,
  })
  assert.equal(response.statusCode, 201, response.body)
  return response.json<{ data: Payment }>().data
}

export async function statusOf(world: World, { id }: Payment): Promise<string> {
  return (await world.get(`/v1/payments/${id}`)).json<{ data: Payment }>().data.status
}

/** Waits for the heading of a state. */
export function heading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Opens a way to pay and presses its button. */
export async function choose(page: Page, method: string | RegExp, button: string | RegExp): Promise<void> {
  const way = page.locator('details').filter({ has: page.locator('.name', { hasText: method }) })
  if ((await way.getAttribute('open')) === null) await way.locator('summary').click()
  await way.getByRole('button', { name: button }).click()
}

/** What the payer does at the provider's own page, which is plainly a simulation. */
export async function atProvider(page: Page, choice: 'approve' | 'decline' | 'abandon'): Promise<void> {
  await page.getByText('Simulation.').waitFor()
  await page.locator(`button[value=${choice}]`).click()
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type AxeFinding = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }

/** Scans a page as it stands; minor remarks aside, there is nothing to find. */
export async function scan(page: Page): Promise<void> {
  await page.evaluate(axeSource)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: AxeFinding[] }> } }
    return (await axe.run()).violations
  })
  const grave = found.filter(({ impact }) => impact !== 'minor')
  assert.deepEqual(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`),
    [],
  )
}

/** Takes a picture of the page, where pictures are wanted. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!picturesDir) return
  mkdirSync(picturesDir, { recursive: true })
  const isPhone = page.viewportSize()?.width === phone.width
  await page.screenshot({ path: join(picturesDir, `${name}.png`), fullPage: isPhone, animations: 'disabled' })
}
