import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkoutDir, ConfigError, parseConfig } from './config.ts'
import { settings, type Setting } from './settings.ts'

const all = Object.values<Setting<unknown>>(settings)

test('.env.example lists every setting with its sentence and its default', () => {
  const text = readFileSync(join(checkoutDir, '.env.example'), 'utf8')
  const listed = [...text.matchAll(/^# (.+)\n#([A-Z_]+)=(.*)$/gm)].map(([, about, variable, byDefault]) => {
    return { variable, about, byDefault }
  })
  assert.deepEqual(
    listed,
    all.map(({ variable, about, byDefault = '' }) => ({ variable, about, byDefault })),
    'run "npm run spec": it writes .env.example anew',
  )
})

test('every default is accepted by the setting it belongs to', () => {
  const config = parseConfig({})
  assert.equal(config.env, 'local')
  assert.equal(config.databaseUrl, undefined)
  assert(Object.isFrozen(config))
})

test('a wrong setting stops the start with a sentence naming it', () => {
  const wrong: Readonly<Record<string, string>> = {
    KOLO_ENV: 'staging',
    PORT: '70000',
    KOLO_PUBLIC_URL: 'pay.example.com',
    DATABASE_URL: 'mysql://localhost/kolo',
    KOLO_CURRENCIES: 'NGN,DOGE',
    KOLO_DATABASE_POOL_SIZE: 'many',
    KOLO_MASTER_KEY: 'a:c2hvcnQ=',
    KOLO_JWT_KEYS: '[]',
    KOLO_CORS_ORIGINS: 'https://shop.example.com/path',
    KOLO_LOG_LEVEL: 'loud',
  }
  for (const [variable, value] of Object.entries(wrong)) {
    assert.throws(
      () => parseConfig({ [variable]: value }),
      (error) => error instanceof ConfigError && error.message.startsWith(`${variable} `),
      variable,
    )
  }
})

test('a secret setting that is wrong is named but not shown', () => {
  for (const { variable } of all.filter(({ isSecret, variable: name }) => isSecret && name !== 'KOLO_METRICS_TOKEN')) {
    assert.throws(
      () => parseConfig({ [variable]: 'hunter2-hunter2' }),
      (error) => error instanceof ConfigError && !error.message.includes('hunter2'),
      variable,
    )
  }
})

const production = {
  KOLO_ENV: 'production',
  DATABASE_URL: 'postgres://kolo@db.example.com/kolo',
  KOLO_MASTER_KEY: `main:${Buffer.alloc(32, 7).toString('base64')}`,
  KOLO_JWT_KEYS: JSON.stringify([{ kty: 'OKP', crv: 'Ed25519', kid: 'main', x: 'x', d: 'd' }]),
  KOLO_PUBLIC_URL: 'https://pay.example.com',
}

test('production does not start without a database, a master key, JWT keys and a public address', () => {
  assert.equal(parseConfig(production).env, 'production')
  for (const variable of ['DATABASE_URL', 'KOLO_MASTER_KEY', 'KOLO_JWT_KEYS', 'KOLO_PUBLIC_URL']) {
    assert.throws(
      () => parseConfig({ ...production, [variable]: '' }),
      (error) => error instanceof ConfigError && error.message.includes(variable),
      variable,
    )
  }
  assert.throws(() => parseConfig({ ...production, KOLO_PUBLIC_URL: 'http://pay.example.com' }), /https:\/\//)
})
