import type { Currency } from '../money/currencies.ts'
import type { Money } from '../money/money.ts'

/**
 * The interface to the outside world. A rail is data plus functions; each capability is optional. Every call has a
 * deadline, answers with what the provider said, and never throws for an expected failure. `unknown` is a first-class
 * answer: the provider was not heard, and nothing may be concluded from that.
 */
export type Rail = {
  readonly name: string
  readonly identity?: IdentityCapability
  readonly virtualAccounts?: VirtualAccountCapability
  readonly collections?: CollectionCapability
  readonly payouts?: PayoutCapability
  readonly accounts?: AccountCapability
  readonly directory?: DirectoryCapability
  readonly partnerWallet?: PartnerWalletCapability
  /** Reads a notice the provider sent. A wrong signature is not read; words we do not know fail loudly. */
  readNotice(headers: Readonly<Record<string, string | undefined>>, body: Buffer): NoticeReading
}

export const capabilities = [
  'identity',
  'virtualAccounts',
  'collections',
  'payouts',
  'accounts',
  'directory',
  'partnerWallet',
] as const
export type Capability = (typeof capabilities)[number]

/** What a rail says to a question. `refused`: it understood and said no; `unknown`: it was not heard. */
export type Reply<T> =
  { readonly state: 'answered'; readonly value: T } | { readonly state: 'refused'; readonly reason: string } | Unknown

/**
 * Nobody was heard. `isUnsent`: the rail was certainly not asked, so that asking again is safe. `isHeard`: the rail
 * itself answered, that it cannot say just now; this is no reason to leave it alone.
 */
export type Unknown = {
  readonly state: 'unknown'
  readonly cause: string
  readonly isUnsent?: true
  readonly isHeard?: true
}

/** What a rail says of an order to move money. */
export type Outcome =
  | { readonly state: 'pending'; readonly railReference: string }
  | { readonly state: 'completed'; readonly railReference: string; readonly completedAt: Date }
  | { readonly state: 'rejected'; readonly reason: string }
  | Unknown

export type IdentityCapability = {
  verifyBvn(question: {
    readonly bvn: string
    readonly firstName: string
    readonly lastName: string
    readonly dateOfBirth: string | null
  }): Promise<Reply<{ readonly matches: boolean }>>
}

export type BankAccount = {
  readonly bankCode: string
  readonly bankName: string
  readonly accountNumber: string
  readonly accountName: string
}

export type VirtualAccountCapability = {
  /** Whether a customer's identity must be verified before an account is opened. */
  readonly needsIdentity: boolean
  /** Opens a permanent account. The same order id twice is the same account. */
  open(order: {
    readonly orderId: string
    readonly accountReference: string
    readonly accountName: string
  }): Promise<Reply<{ readonly accounts: readonly BankAccount[] }>>
  /** Sends a transfer that reached no account of ours back to its payer. The same return id twice moves it once. */
  giveBack?(order: {
    readonly returnId: string
    readonly transactionReference: string
    readonly amount: Money
  }): Promise<Outcome>
  /**
   * What was paid into its accounts since a cursor it gave before, oldest first, at most so many; null: from the
   * beginning. For notices that never come: each is read, and named, as its notice would be.
   */
  creditsSince?(cursor: string | null, most: number): Promise<Reply<CreditPage>>
}

export type CreditPage = {
  readonly credits: readonly { readonly reading: NoticeReading; readonly body: string }[]
  /** Where to go on from. */
  readonly cursor: string | null
  readonly hasMore: boolean
}

export const collectionTypes = ['bank_transfer', 'pay_by_bank', 'mobile_money', 'card'] as const
export type CollectionType = (typeof collectionTypes)[number]

/** A way a payer can pay, as one rail offers it. Amounts are limits of one payment. */
export type CollectionMethod = {
  readonly id: string
  readonly type: CollectionType
  readonly name: string
  readonly currency: Currency
  readonly country: string
  readonly min: Money
  readonly max: Money
  /** The networks of mobile money. */
  readonly operators?: readonly string[]
}

/** What the payer must do next. */
export type CollectionStep =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'transfer'; readonly account: BankAccount; readonly expiresAt: Date }
  | { readonly kind: 'prompt'; readonly phone: string }

/** Where a collection stands at the rail. `received` carries what really came, which may not be what was asked. */
export type CollectionState =
  | { readonly state: 'waiting' }
  | { readonly state: 'accepted' }
  | {
      readonly state: 'received'
      readonly received: Money
      readonly isSettled: boolean
      /** The rail's name for this money: the same as in its notice of it. */
      readonly railReference: string
    }
  | { readonly state: 'declined'; readonly reason: string }
  | { readonly state: 'rejected'; readonly reason: string }
  | { readonly state: 'voided' }
  | { readonly state: 'not_found' }

export type CollectionCapability = {
  readonly methods: readonly CollectionMethod[]
  /** Starts an attempt. The same order id twice is the same attempt. */
  begin(order: {
    readonly orderId: string
    readonly methodId: string
    readonly amount: Money
    readonly payee: string
    readonly description: string | null
    readonly payer: { readonly phone: string; readonly operator: string } | null
    readonly returnUrl: string
    /** The service clock at the order: what the step says of time is counted from it. */
    readonly at: Date
  }): Promise<Reply<{ readonly railReference: string; readonly step: CollectionStep }>>
  ask(orderId: string): Promise<Reply<CollectionState>>
  /** Ends an attempt so that it can no longer be paid; answers where it stands, which may be `received`. */
  void(orderId: string): Promise<Reply<CollectionState>>
  /** Sends received money back to its payer. The same return id twice moves it once. */
  giveBack(order: { readonly returnId: string; readonly orderId: string; readonly amount: Money }): Promise<Outcome>
  /** How the rail settles: by its own notice, or after so many business days of a country. */
  readonly settlement:
    { readonly by: 'notice' } | { readonly by: 'days'; readonly businessDays: number; readonly country: string }
}

export const beneficiaryTypes = ['bank_account', 'mobile_money', 'partnerwallet_wallet'] as const
export type BeneficiaryType = (typeof beneficiaryTypes)[number]

export type Destination = {
  readonly accountType: BeneficiaryType
  readonly accountNumber: string
  readonly accountName: string | null
  readonly bankCode: string | null
  readonly institutionId: string | null
  readonly routingNumber: string | null
  readonly currency: Currency
  readonly country: string
}

export type PayoutCapability = {
  /** Whether the same order id sent again moves money at most once. */
  readonly hasIdempotentOrders: boolean
  send(order: {
    readonly orderId: string
    readonly amount: Money
    readonly destination: Destination
    readonly narration: string | null
  }): Promise<Outcome | { readonly state: 'no_float' }>
  ask(orderId: string): Promise<Outcome | { readonly state: 'not_found' } | { readonly state: 'no_float' }>
}

export type AccountCapability = {
  /** Finds the name behind a destination. `refused`: the details are well formed and lead nowhere. */
  resolve(destination: Omit<Destination, 'accountName'>): Promise<Reply<{ readonly accountName: string }>>
}

export type Institution = {
  readonly id: string
  readonly name: string
  readonly country: string
  readonly currency: Currency
  readonly bankCode: string | null
  readonly type: 'bank_account' | 'mobile_money'
}

export type DirectoryCapability = {
  institutions(country: string, type: 'bank_account' | 'mobile_money'): Promise<Reply<readonly Institution[]>>
}

export type PartnerWalletCapability = {
  find(
    publicId: string,
  ): Promise<Reply<{ readonly maskedName: string; readonly currencies: readonly Currency[] } | null>>
}

/** What a provider told us on its own. `dedupeKey` is the provider's name for this one fact. */
export type Notice =
  | {
      readonly kind: 'virtual_account_credit'
      readonly dedupeKey: string
      readonly accountNumber: string
      readonly transactionReference: string
      readonly amount: Money
      readonly payerName: string | null
      readonly payerEmail: string | null
    }
  | {
      readonly kind: 'collection'
      readonly dedupeKey: string
      readonly orderId: string
      readonly railReference: string
      readonly state: 'authorising' | 'accepted' | 'received' | 'settled' | 'declined' | 'rejected' | 'returned'
      readonly amount: Money | null
      readonly reason: string | null
    }
  | {
      readonly kind: 'payout'
      readonly dedupeKey: string
      readonly orderId: string
      readonly railReference: string
      readonly state: 'completed' | 'failed' | 'returned'
      readonly reason: string | null
    }

export type NoticeReading =
  | { readonly state: 'read'; readonly notice: Notice }
  | { readonly state: 'wrong_signature' }
  /** Signed rightly, and not understood: kept for a person to look at. */
  | { readonly state: 'unreadable'; readonly dedupeKey: string; readonly cause: string }
