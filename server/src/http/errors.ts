import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '../db/database.ts'
import { errorBody, Refusal } from '../errors.ts'

/** How long a caller should wait before it asks again while the service cannot answer. */
const RETRY_AFTER_SECONDS = '1'

/** Answers with the one error body, whatever was thrown. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error)
  const { organizationId } = request
  if (refusal.code === 'internal') request.log.error({ err: error, organizationId }, 'unexpected error')
  if (refusal.code === 'unavailable') request.log.warn({ err: error, organizationId }, 'answered 503')
  // A connection that is closed while its client is still sending is an error to the client, which then never reads
  // why. Kept open, the rest of the body is dropped unread, for as long as a request may take.
  if (refusal.code === 'body_too_large') void reply.removeHeader('connection')
  void reply
    .code(refusal.status)
    .headers(refusal.extras.headers ?? {})
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(refusal, request.id)))
}

function refusalOf(error: FastifyError | Error): Refusal {
  if (error instanceof Refusal) return error
  if (isUnavailable(error)) return unavailable()
  switch ('code' in error ? error.code : undefined) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal('media_type_unsupported')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('body_too_large')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal('invalid_request', {
        message: 'The body is empty or its length is not what Content-Length says.',
      })
    case 'FST_ERR_BAD_URL':
      return new Refusal('invalid_request', { message: 'The path is not validly encoded.' })
    default:
      return new Refusal('internal')
  }
}

export function unavailable(): Refusal {
  return new Refusal('unavailable', { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
}
