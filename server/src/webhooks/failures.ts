/** What an attempt is doing; a time-out says which of these took too long. */
export type Phase = 'looking up the name' | 'connecting' | 'in the TLS handshake' | 'sending' | 'waiting for headers'

/** The address of an endpoint may not be reached from here. */
export class AddressNotAllowed extends Error {
  constructor(host: string, address: string) {
    super(
      host === address
        ? `The address ${host} is private or reserved. Webhooks are sent to public addresses only.`
        : `The name ${host} has the address ${address}, which is private or reserved. Webhooks are sent to public addresses only.`,
    )
  }
}

/** An attempt did not end before its deadline. */
export class DeadlinePassed extends Error {
  constructor(timeoutMs: number, phase: Phase) {
    super(`Timed out after ${timeoutMs / 1000} s while ${phase}.`)
  }
}

const MAX_WORDS = 500

type Words = (host: string, error: Error) => string

/** What a developer can do about a failure, by the code the network stack gives it. */
const words: Readonly<Record<string, Words>> = {
  ENOTFOUND: (host) => `The name ${host} was not found. Check its spelling and its DNS record.`,
  ENODATA: (host) => `The name ${host} has no address. Add an A or AAAA record.`,
  EAI_AGAIN: (host) => `The name ${host} could not be looked up: its name server did not answer.`,
  ETIMEOUT: (host) => `The name ${host} could not be looked up: its name server did not answer.`,
  ESERVFAIL: (host) => `The name ${host} could not be looked up: its name server answered with an error.`,
  EREFUSED: (host) => `The name ${host} could not be looked up: its name server refused to answer.`,
  ECONNREFUSED: (host) => `The connection to ${host} was refused. Check that a server listens there.`,
  ECONNRESET: (host) => `The connection to ${host} was reset before an answer came.`,
  EPIPE: (host) => `The connection to ${host} was closed before the request was sent.`,
  ETIMEDOUT: (host) => `No connection to ${host}: nothing answered there. Check the address and the firewall.`,
  EHOSTUNREACH: (host) => `There is no route to ${host}.`,
  ENETUNREACH: (host) => `There is no route to ${host}.`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before it answered.`,
  UND_ERR_HEADERS_OVERFLOW: (host) => `${host} answered with more than 16 KiB of headers.`,
  CERT_HAS_EXPIRED: (host) => `The TLS certificate of ${host} has expired. Renew it.`,
  CERT_NOT_YET_VALID: (host) => `The TLS certificate of ${host} is not valid yet.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) =>
    `The TLS certificate of ${host} is self-signed. Use one of a public authority.`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) =>
    `The TLS certificate of ${host} was issued by an authority that is not trusted here.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) =>
    `The TLS certificate of ${host} was issued by an authority that is not trusted here, or its chain is incomplete.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) =>
    `The TLS certificate chain of ${host} is incomplete. Send the intermediate certificates too.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The TLS certificate was issued for another name than ${host}.`,
  ERR_SSL_WRONG_VERSION_NUMBER: (host) => `${host} does not speak TLS on this port. Check the port, or use http.`,
  EPROTO: (host) => `The TLS handshake with ${host} failed. Check its TLS configuration.`,
}

/** The sentence an attempt's record shows for what went wrong. */
export function describeFailure(error: unknown, host: string): string {
  if (!(error instanceof Error)) return `The request to ${host} failed.`
  if (error instanceof AddressNotAllowed || error instanceof DeadlinePassed) return error.message
  const code = (error as { code?: string }).code ?? ''
  if (words[code]) return words[code](host, error)
  if (error.name === 'HTTPParserError') return `${host} answered with something that is not HTTP/1.1.`
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return words['EPROTO']!(host, error)
  return `The request to ${host} failed: ${error.message}`.slice(0, MAX_WORDS)
}

/** The sentence for an answer that is not a 2xx. */
export function describeStatus(status: number): string {
  if (status >= 300 && status < 400)
    return `Answered ${status}, a redirect. Redirects are not followed: use the final URL.`
  return `Answered ${status}. Any 2xx status counts as delivered.`
}
