import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'
import { checkoutDir } from '../src/config.ts'

/** Browsers of the system, in the order they are taken. */
const installed = [
  process.env['KOLO_TEST_BROWSER'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Where the browser of the registry package is unpacked, once per checkout. */
const unpackedDir = join(checkoutDir, 'node_modules', '.cache', 'kolo-chromium')

type Found = { readonly executablePath: string; readonly env?: Record<string, string> }

/** A headless browser for a test: the system's Chromium where there is one, else the one inside a registry package. */
export async function launchBrowser(): Promise<Browser> {
  const { executablePath, env } = await findBrowser()
  return chromium.launch({
    executablePath,
    headless: true,
    // Tests also run as root and in containers, where the sandbox cannot be set up. Only our own pages are opened.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    env: { ...(process.env as Record<string, string>), ...env },
  })
}

async function findBrowser(): Promise<Found> {
  const own = installed.find((path) => path && isExecutable(path))
  if (own) return { executablePath: own }
  if (!existsSync(unpackedDir)) await unpack()
  return {
    executablePath: join(unpackedDir, 'chromium'),
    env: { LD_LIBRARY_PATH: join(unpackedDir, 'al2023', 'lib'), FONTCONFIG_PATH: join(unpackedDir, 'fonts') },
  }
}

/** The package unpacks into the temporary folder it is given; several test files may do this at once, and one wins. */
async function unpack(): Promise<void> {
  mkdirSync(dirname(unpackedDir), { recursive: true })
  const unfinished = mkdtempSync(`${unpackedDir}-`)
  const script = `await (await import('@sparticuz/chromium')).default.executablePath()`
  // The variable makes it unpack the libraries of its own too, which a bare machine does not have.
  const env = { ...process.env, TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' }
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname, env })
  // Its own list of fonts looks for them under /tmp; without a font the browser ends at the first letter.
  writeFileSync(
    join(unfinished, 'fonts', 'fonts.conf'),
    `<?xml version="1.0"?><fontconfig><dir>${join(unpackedDir, 'fonts', 'fonts')}</dir><cachedir>${join(unpackedDir, 'fonts-cache')}</cachedir></fontconfig>`,
  )
  try {
    renameSync(unfinished, unpackedDir)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(unpackedDir)) throw error
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
