import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { launchBrowser } from '../browser.ts'
import { announce, hook } from '../webhooks.ts'
import { sharedService } from '../world.ts'

const pictures = process.env['KOLO_TEST_PICTURES']
const browser = launchBrowser()
after(async () => (await browser).close())

for (const [name, viewport] of [
  ['desk', { width: 1100, height: 800 }],
  ['phone', { width: 390, height: 800 }],
] as const) {
  test(`the inbox shows a delivery as it arrives, at the width of a ${name}`, async (t) => {
    const origin = (await sharedService()).deps.publicUrl()
    const page = await (await browser).newPage({ viewport })
    const complaints: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${origin}/inbox/${name}`)
    await page.getByText('Live', { exact: true }).waitFor()
    const { world } = await hook(t, { url: `${origin}/inbox/${name}` })
    await announce(world)
    await page.getByText('Signature valid').waitFor()
    await announce(world)
    await page.locator('#letters > li').nth(1).waitFor()
    await page.getByText('Signature valid').nth(1).waitFor()
    if (pictures) await page.screenshot({ path: `${pictures}/inbox-${name}.png` })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.equal(overflow, 0)
    assert.deepEqual(complaints, [])
  })
}
