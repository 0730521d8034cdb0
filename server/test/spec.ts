import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkoutDir, parseConfig } from '../src/config.ts'
import { startEmbedded } from '../src/db/embedded/server.ts'
import { migrate } from '../src/db/migrate.ts'
import { catalogue } from '../src/events/catalogue.ts'
import { envelopeOf } from '../src/events/openapi.ts'
import { plainSchema } from '../src/http/api-document.ts'
import { createLog } from '../src/log.ts'
import { createCore, startService } from '../src/service.ts'
import { settings, type Setting } from '../src/settings.ts'
import { dumpSchema } from './schema-dump.ts'

/**
 * Writes what is generated from the code: `npm run spec`. With `--check` it writes nothing and fails where a file is
 * not what the code says.
 */
const isCheck = process.argv.includes('--check')
const files = await generate()
const outdated = [...files].filter(([path, text]) => readIfThere(path) !== text).map(([path]) => path)
const leftOver = globSync('spec/events/*.json', { cwd: checkoutDir }).filter((path) => !files.has(path))

if (isCheck) {
  if (outdated.length + leftOver.length > 0) {
    process.stderr.write(`Not what the code says: ${[...outdated, ...leftOver].join(', ')}. Run "npm run spec".\n`)
    process.exit(1)
  }
} else {
  for (const path of outdated) {
    mkdirSync(dirname(join(checkoutDir, path)), { recursive: true })
    writeFileSync(join(checkoutDir, path), files.get(path)!)
  }
  for (const path of leftOver) rmSync(join(checkoutDir, path))
}
process.stdout.write(
  isCheck ? 'spec/ is current.\n' : `Written: ${outdated.join(', ') || 'nothing, all is current'}.\n`,
)
process.exit(0)

async function generate(): Promise<Map<string, string>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kolo-spec-'))
  const postgres = await startEmbedded({ dataDir, settings: ['fsync=off'] })
  try {
    await migrate(postgres.url)
    // Before a service runs: what a process makes for itself is no part of the schema.
    const schema = await dumpSchema(postgres.url)
    return new Map([
      ['.env.example', envExample()],
      ['spec/openapi.json', pretty(await apiDocument(postgres.url, dataDir))],
      ['spec/schema.sql', schema],
      ...Object.entries(catalogue).map(
        ([type, { about, schema: data }]) =>
          [`spec/events/${type}.json`, pretty(eventSchema(type, about, data))] as const,
      ),
    ])
  } finally {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function apiDocument(databaseUrl: string, dataDir: string): Promise<unknown> {
  const core = createCore(parseConfig({ KOLO_DATA_DIR: dataDir }), databaseUrl, createLog('error'))
  const service = await startService(core, ['api'])
  try {
    return (await service.app.fastify.inject('/openapi.json')).json()
  } finally {
    await service.stop()
  }
}

function eventSchema(type: string, about: string, data: object): object {
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return { $schema, title: type, description: about, ...plainSchema(envelopeOf(type, data)) }
}

function envExample(): string {
  const listed = Object.values<Setting<unknown>>(settings).map(
    ({ about, variable, byDefault = '' }) => `# ${about}\n#${variable}=${byDefault}\n`,
  )
  return [
    '# Every setting of Kolo. Copy this file to .env and change what you need; an unset one has the default shown, or does',
    '# what its sentence says. Variables of the environment win over the file. Written by "npm run spec".\n',
    ...listed,
  ].join('\n')
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function readIfThere(path: string): string | undefined {
  const file = join(checkoutDir, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
