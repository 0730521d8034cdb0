import assert from 'node:assert/strict'

type ErrorBody = {
  error: {
    type: string
    code: string
    message: string
    param?: string
    details?: { param: string; message: string }[]
    requestId: string
  }
}
type Answer = { statusCode: number; body: string; headers: Record<string, unknown>; json<T>(): T }

/** That an answer refuses with this status and code; answers the error. */
export function refused(answer: Answer, status: number, code: string): ErrorBody['error'] {
  assert.equal(answer.statusCode, status, answer.body)
  const { error } = answer.json<ErrorBody>()
  assert.equal(error.code, code, answer.body)
  assert.equal(error.requestId, answer.headers['x-request-id'])
  return error
}
