import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join, resolve } from 'node:path'
import { settings, type Setting, type SettingName } from './settings.ts'

export const checkoutDir = fileURLToPath(new URL('../..', import.meta.url))

/** A wrong setting. The message is a sentence that names it and says what to write instead. */
export class ConfigError extends Error {}

export type MasterKey = { readonly id: string; readonly key: Buffer }
export type Environment = 'local' | 'sandbox' | 'production'

type Values = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]['parse']> | undefined }
type Defaulted<Name extends SettingName> = (typeof settings)[Name] extends { byDefault: string }
  ? NonNullable<Values[Name]>
  : Values[Name]

/** Every setting, validated and frozen. */
export type Config = Readonly<{ [Name in SettingName]: Defaulted<Name> }> & { readonly dataDir: string }

/** Without these nothing that holds other people's money may start. */
const neededInProduction = [
  'databaseUrl',
  'masterKeys',
  'jwtKeys',
  'publicUrl',
] as const satisfies readonly SettingName[]

/** The only reader of the environment: `.env` in the checkout where it exists, overridden by real variables. */
export function readConfig(): Config {
  const file = join(checkoutDir, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
  return parseConfig(process.env)
}

export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const text = env[setting.variable]?.trim() || setting.byDefault
    if (text === undefined) continue
    try {
      values[name] = setting.parse(text)
    } catch (error) {
      const shown = setting.isSecret ? '' : ` is "${text}" but`
      throw new ConfigError(`${setting.variable}${shown} ${(error as Error).message}. ${setting.about}`, {
        cause: error,
      })
    }
  }
  const config = {
    ...values,
    dataDir: resolve(checkoutDir, (values['dataDir'] as string | undefined) ?? '.kolo'),
  } as unknown as Config
  refuseUnfitForProduction(config)
  return Object.freeze(config)
}

function refuseUnfitForProduction(config: Config): void {
  if (config.env !== 'production') return
  const missing = neededInProduction.filter((name) => config[name] === undefined).map((name) => settings[name].variable)
  if (missing.length > 0) {
    throw new ConfigError(
      `KOLO_ENV is "production", which does not start without ${missing.join(', ')}. See .env.example.`,
    )
  }
  if (config.faultPoint) throw new ConfigError('KOLO_FAULT_POINT must not be set when KOLO_ENV is "production".')
  if (!config.publicUrl?.startsWith('https://')) {
    throw new ConfigError('KOLO_PUBLIC_URL must begin with https:// when KOLO_ENV is "production".')
  }
}
