import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { launchBrowser } from './browser.ts'
import { createService } from './service.ts'

const pictures = process.env['KOLO_TEST_PICTURES']

const browser = launchBrowser()
after(async () => (await browser).close())

test('the documentation loads nothing from elsewhere and breaks no rule of its own policy', async () => {
  const { origin } = await createService({ roles: ['api'] })
  const page = await (await browser).newPage({ viewport: { width: 1280, height: 900 } })
  const elsewhere: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) elsewhere.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${origin}/docs`)
  await page.getByRole('button', { name: 'Transfers' }).first().click()
  await page.getByText('Move money between your wallets or to another organization').first().waitFor()
  await page.waitForLoadState('networkidle')
  if (pictures) await page.screenshot({ path: `${pictures}/docs.png` })
  assert.deepEqual(elsewhere, [])
  assert.deepEqual(complaints, [])
})
