import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Public by its range, and yet the metadata service of a large cloud. */
const metadataAddresses = new Set(['168.63.129.16'])
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Whether a request of somebody else's choosing may go to this address: public unicast, and nothing else. */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address)
  if (!parsed) return false
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast' && !metadataAddresses.has(parsed.toString())
  const embedded = embeddedIpv4(parsed)
  if (embedded) return isPublicAddress(embedded)
  return parsed.range() === 'unicast' && parsed.match(globalUnicast)
}

/** A literal address in the host of a URL, as the URL parser writes it: decimal, octal and hex forms are dotted by then. */
export function literalAddress(hostname: string): string | undefined {
  const bare = bareHost(hostname)
  return isIP(bare) ? bare : undefined
}

/** The name to look up: without the brackets of IPv6 and without the dot of the root. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** IPv4 inside IPv6: mapped, and translated by the well-known NAT64 prefix. 6to4, Teredo and others are not public. */
function embeddedIpv4(address: ipaddr.IPv6): string | undefined {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  if (address.match(ipaddr.parseCIDR('64:ff9b::/96'))) return address.toByteArray().slice(12).join('.')
  return undefined
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const zoneless = address.split('%', 1)[0]!
  return isIP(zoneless) ? ipaddr.parse(zoneless) : undefined
}
