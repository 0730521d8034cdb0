import { eventTypes } from '../events/catalogue.ts'
import type { Deps } from '../deps.ts'
import { invalid, Refusal, type FaultDetail } from '../errors.ts'
import { allowedAddresses } from './connection.ts'
import { AddressNotAllowed } from './failures.ts'
import type { EndpointChange } from './schema.ts'

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const headerValue = /^[\x20-\x7e\t]*$/

/** What we set ourselves, and what belongs to a connection rather than to a message. */
const reservedHeaders = [
  /^host$/i,
  /^content-/i,
  /^x-webhook-/i,
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect)$/i,
  /^proxy-/i,
]

type Wish = Pick<EndpointChange, 'url' | 'events' | 'headers'>

/** Refuses an endpoint that could not be served, with every fault at once. Asks the name server: not in a transaction. */
export async function checkEndpoint(deps: Deps, wish: Wish): Promise<void> {
  const faults = [...urlFaults(deps, wish.url), ...eventFaults(wish.events), ...headerFaults(wish.headers)]
  if (faults.length > 0) throw invalid(...faults)
  if (wish.url !== undefined) await checkAddress(deps, wish.url)
}

function urlFaults({ config }: Deps, text: string | undefined): FaultDetail[] {
  if (text === undefined) return []
  const url = URL.parse(text)
  const fault = (message: string) => [{ param: 'url', message }]
  if (!url || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text))
    return fault('must be an absolute http or https URL')
  if (url.username || url.password) return fault('must not carry a user name or password; use headers instead')
  if (config.env === 'production' && url.protocol !== 'https:') return fault('must begin with https://')
  return []
}

function eventFaults(events: readonly string[] | null | undefined): FaultDetail[] {
  if (!events || (events.length === 1 && events[0] === '*')) return []
  const known = new Set<string>(eventTypes)
  return events.flatMap((type, index) => {
    const param = `events[${index}]`
    if (type === '*') return [{ param, message: 'must stand alone: "*" is every type' }]
    if (!known.has(type)) return [{ param, message: `must be "*" or one of ${eventTypes.join(', ')}` }]
    return events.indexOf(type) < index ? [{ param, message: 'is given twice' }] : []
  })
}

function headerFaults(headers: Readonly<Record<string, string>> | null | undefined): FaultDetail[] {
  const names = Object.keys(headers ?? {})
  const lower = names.map((name) => name.toLowerCase())
  return Object.entries(headers ?? {}).flatMap(([name, value], index) => {
    const param = `headers.${name}`
    if (!headerName.test(name)) return [{ param, message: 'is not a header name' }]
    if (reservedHeaders.some((shape) => shape.test(name))) return [{ param, message: 'is set by the service' }]
    if (lower.indexOf(lower[index]!) < index) return [{ param, message: 'is given twice' }]
    return headerValue.test(value) ? [] : [{ param, message: 'must be printable ASCII characters on one line' }]
  })
}

/** A name that cannot be looked up yet is accepted: its deliveries will say so. */
async function checkAddress({ config, lookup }: Deps, url: string): Promise<void> {
  if (config.env === 'local') return
  try {
    await allowedAddresses(new URL(url).hostname, { lookup, mayReachPrivate: false })
  } catch (error) {
    if (error instanceof AddressNotAllowed)
      throw new Refusal('address_not_allowed', {
        message: error.message,
        param: 'url',
        details: [{ param: 'url', message: 'must lead to public addresses only' }],
      })
  }
}
