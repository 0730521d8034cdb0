#!/usr/bin/env node
// Plain JavaScript, so that an old Node can read it: it starts the command again under the Node this project pins.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const pinned = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
const main = new URL('../src/main.ts', import.meta.url)
if (!existsSync(pinned) || realpathSync(pinned) === realpathSync(process.execPath)) {
  // Compiled code is kept beside the packages it comes from: a later start reads it instead of compiling again.
  module.enableCompileCache?.(fileURLToPath(new URL('../../node_modules/.cache/kolo', import.meta.url)))
  await import(main.href)
} else {
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)))
}
