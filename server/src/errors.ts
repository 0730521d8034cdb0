export type RefusalType =
  | 'invalid_request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'unprocessable'
  | 'rate_limit'
  | 'internal'
  | 'provider'
  | 'unavailable'

type Refused = readonly [status: number, type: RefusalType, message: string]

/** Every code the service can answer with, in order of precedence, with a sentence on what to do. */
export const refusals = {
  route_not_found: [404, 'not_found', 'There is no such route. The API description lists them all.'],
  method_not_allowed: [
    405,
    'invalid_request',
    'This route does not take this method. The Allow header lists those it takes.',
  ],
  credential_missing: [401, 'authentication', 'Send your API key in the header "Authorization: Bearer <API_KEY>".'],
  credential_invalid: [401, 'authentication', 'This credential is not known here. Check that it was copied whole.'],
  credential_revoked: [
    401,
    'authentication',
    'This credential was revoked or its session has ended. Use another one, or sign in again.',
  ],
  credential_expired: [401, 'authentication', 'This credential has expired. Use another one.'],
  credential_of_other_environment: [
    401,
    'authentication',
    'This API key belongs to another environment. Use a key of this one.',
  ],
  sign_in_failed: [
    401,
    'authentication',
    'The e-mail address or the password is wrong, or the invitation was not accepted yet.',
  ],
  rate_limited: [429, 'rate_limit', 'Too many requests in this second. Ask again after the time in Retry-After.'],
  too_many_failures: [
    429,
    'rate_limit',
    'Too many failed attempts from this address or for this member. Try again after the time in Retry-After.',
  ],
  member_required: [
    403,
    'permission',
    'Only a member of the organization may do this: sign in, an API key is not enough.',
  ],
  self_approval: [403, 'permission', 'Nobody approves a payout of their own. Ask another member.'],
  scope_missing: [
    403,
    'permission',
    'The scopes of this API key do not allow this. Use a key that has the scope named.',
  ],
  signature_invalid: [401, 'authentication', 'The notice is not signed by the provider it claims to be from.'],
  role_missing: [403, 'permission', 'Your role does not allow this. Ask an owner or admin of the organization.'],
  lookup_limit_reached: [
    429,
    'rate_limit',
    'Too many look-ups found nobody. Check the identifier and ask again after the time in Retry-After.',
  ],
  media_type_unsupported: [415, 'invalid_request', 'Send the body as JSON with "Content-Type: application/json".'],
  body_too_large: [413, 'invalid_request', 'The body is too large. Send less at once.'],
  invalid_request: [400, 'invalid_request', 'The request is invalid or incomplete. See details.'],
  address_not_allowed: [
    400,
    'invalid_request',
    'The address is private or reserved. Webhooks are sent to public addresses only.',
  ],
  idempotency_key_reused: [
    422,
    'unprocessable',
    'This Idempotency-Key was used for another request. Use a new key for a new request.',
  ],
  idempotency_key_in_use: [
    409,
    'conflict',
    'The first request with this Idempotency-Key is still running. Ask again shortly.',
  ],
  not_found: [404, 'not_found', 'No such resource in this organization.'],
  invite_not_found: [404, 'not_found', 'There is no such invitation. Ask for a new one.'],
  email_taken: [409, 'conflict', 'This e-mail address is taken. Use another one.'],
  last_owner: [409, 'conflict', 'The last owner stays. Make somebody else an owner first.'],
  invite_used: [409, 'conflict', 'This invitation was accepted already. Sign in instead.'],
  invite_expired: [409, 'conflict', 'This invitation has expired. Ask for a new one.'],
  reference_taken: [409, 'conflict', 'This reference was used before. Use a new one.'],
  endpoint_deleted: [409, 'conflict', 'The endpoint was deleted: nothing is sent to it any more.'],
  delivery_in_progress: [409, 'conflict', 'An attempt of this delivery is under way. Ask again when it has ended.'],
  customer_busy: [409, 'conflict', 'The customer is being changed by others all the time. Try again.'],
  payment_not_cancellable: [
    409,
    'conflict',
    'Only a payment that nobody has finished paying can be cancelled. Read it to see where it stands.',
  ],
  payment_not_open: [409, 'conflict', 'The payment is no longer open. Create a new one.'],
  payment_busy: [409, 'conflict', 'Somebody else is paying this at the moment. Try again shortly.'],
  review_item_not_open: [409, 'conflict', 'The review item was decided already.'],
  quote_expired: [409, 'conflict', 'The quote has expired. Ask for a new one.'],
  quote_used: [409, 'conflict', 'The quote was used already. Ask for a new one.'],
  payout_not_pending_approval: [409, 'conflict', 'The payout does not wait for approval.'],
  payout_not_cancellable: [409, 'conflict', 'Only a payout that was not handed to a provider yet can be cancelled.'],
  payout_not_sent: [409, 'conflict', 'No provider has been told of this payout, so it cannot say anything about it.'],
  payout_account_exists: [409, 'conflict', 'Another beneficiary of yours has this destination already. Use that one.'],
  payout_account_in_use: [
    409,
    'conflict',
    'A payout to this beneficiary is still open. Remove it when the payout has come to its end.',
  ],
  notice_not_unmatched: [409, 'conflict', 'Only a credit that belongs to nobody can be assigned or returned.'],
  return_refused: [409, 'conflict', 'The provider does not send this money back. The message says why.'],
  clock_busy: [409, 'conflict', 'The clock is being moved by another request. Try again when it has finished.'],
  password_wrong: [422, 'unprocessable', 'The current password is not right.'],
  quote_not_found: [422, 'unprocessable', 'There is no such quote for this kind of operation. Ask for a new one.'],
  quote_mismatch: [
    422,
    'unprocessable',
    'The quote was made for other currencies or another amount. Send those it was made for, or ask for a new one.',
  ],
  customer_not_found: [422, 'unprocessable', 'There is no such customer in this organization.'],
  customer_inactive: [422, 'unprocessable', 'The customer is not active. Activate it first, or use another one.'],
  identity_required: [
    422,
    'unprocessable',
    'This provider opens accounts only for customers whose identity is verified. Give the customer a BVN first.',
  ],
  destination_not_found: [422, 'unprocessable', 'There is no such organization to transfer to.'],
  payout_account_not_found: [422, 'unprocessable', 'There is no such beneficiary. Save it first.'],
  payout_account_inactive: [422, 'unprocessable', 'This beneficiary is inactive. Set isActive to true to pay it.'],
  account_not_resolved: [
    422,
    'unprocessable',
    'There is no account with these details. Check the number, the bank or operator, and the country.',
  ],
  currency_mismatch: [422, 'unprocessable', 'The recipient cannot be paid in this currency.'],
  rate_unavailable: [422, 'unprocessable', 'There is no current exchange rate for these currencies. Try again later.'],
  amount_too_small: [422, 'unprocessable', 'The converted amount comes to zero. Use a larger amount.'],
  amount_out_of_range: [
    422,
    'unprocessable',
    'The converted amount is more than one operation may move. Use a smaller amount.',
  ],
  payment_method_refused: [
    422,
    'unprocessable',
    'The provider of this payment method refuses this payment. Choose another method.',
  ],
  sandbox_refused: [422, 'unprocessable', 'The built-in provider refuses this command. The message says why.'],
  no_rail: [422, 'unprocessable', 'No provider of this deployment can do this.'],
  identity_mismatch: [
    422,
    'unprocessable',
    'The BVN does not belong to a person of this name and date of birth. Nothing was saved; check all of them.',
  ],
  virtual_account_refused: [422, 'unprocessable', 'The provider refuses to open this account. The message says why.'],
  insufficient_funds: [422, 'unprocessable', 'The wallet balance does not cover this amount and its fee.'],
  identity_provider_unavailable: [
    502,
    'provider',
    'The identity provider did not answer. Nothing was saved; try again shortly.',
  ],
  virtual_account_provider_unavailable: [
    502,
    'provider',
    'The provider of virtual accounts did not answer. Try again shortly: the same account is asked for.',
  ],
  collection_provider_unavailable: [
    502,
    'provider',
    'The provider of this payment method did not answer. Try again, or choose another method.',
  ],
  sandbox_provider_unavailable: [502, 'provider', 'The built-in provider did not answer. Try again shortly.'],
  verification_provider_unavailable: [
    502,
    'provider',
    'The provider that verifies accounts did not answer. Nothing was saved; try again later.',
  ],
  directory_unavailable: [
    502,
    'provider',
    'The provider that lists banks and operators did not answer. Try again later.',
  ],
  internal: [
    500,
    'internal',
    'Something went wrong on our side. Nothing about your request needs to change; quote the requestId.',
  ],
  unavailable: [503, 'unavailable', 'The service cannot answer just now. Ask again after the time in Retry-After.'],
} as const satisfies Record<string, Refused>

export type RefusalCode = keyof typeof refusals

export type FaultDetail = { readonly param: string; readonly message: string }

export type RefusalExtras = {
  readonly message?: string
  readonly param?: string
  readonly details?: readonly FaultDetail[]
  readonly headers?: Readonly<Record<string, string>>
}

/** An expected answer of "no". Thrown, because throwing is what rolls back. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly extras: RefusalExtras
  constructor(code: RefusalCode, extras: RefusalExtras = {}) {
    super(extras.message ?? refusals[code][2])
    this.name = 'Refusal'
    this.code = code
    this.extras = extras
  }
  get status(): number {
    return refusals[this.code][0]
  }
}

/** A body of thousands of faults is told so many: nobody reads more, and a long answer costs more than the request did. */
export const MOST_FAULTS_TOLD = 100

/** A 400 about fields, every fault of them at once. */
export function invalid(...details: FaultDetail[]): Refusal {
  const [first] = details
  return new Refusal('invalid_request', {
    ...(first && { message: `${first.param} ${first.message}.`, param: first.param }),
    details: details.slice(0, MOST_FAULTS_TOLD),
  })
}

export type ErrorBody = {
  error: {
    type: RefusalType
    code: RefusalCode
    message: string
    param?: string
    details?: readonly FaultDetail[]
    requestId: string
  }
}

export function errorBody(refusal: Refusal, requestId: string): ErrorBody {
  const { param, details } = refusal.extras
  const [, type] = refusals[refusal.code]
  return {
    error: {
      type,
      code: refusal.code,
      message: refusal.message,
      ...(param && { param }),
      ...(details && { details }),
      requestId,
    },
  }
}
