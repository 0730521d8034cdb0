import type { Deps } from '../deps.ts'
import { Refusal, type FaultDetail } from '../errors.ts'
import type { CustomerChanges, IdentityType } from './schema.ts'

/** An identity as it was given: kept (`undefined`), cleared (`null`), or a new one. */
export type GivenIdentity = { readonly type: IdentityType; readonly number: string } | null | undefined

type IdentityFields = Pick<CustomerChanges, 'bvn' | 'identityType' | 'identityNumber'>

const bvnShape = /^\d{11}$/

/** Reads the fields of an identity, which come together; `bvn` stands for two of them. */
export function readIdentity(given: IdentityFields): { identity: GivenIdentity; faults: FaultDetail[] } {
  const { bvn, identityType, identityNumber } = given
  if (typeof bvn === 'string') {
    const faults = [
      ...(identityNumber !== undefined && identityNumber !== bvn
        ? [{ param: 'identityNumber', message: 'differs from bvn: give one of them, or the same' }]
        : []),
      ...(identityType !== undefined && identityType !== 'BVN'
        ? [{ param: 'identityType', message: 'must be BVN beside bvn' }]
        : []),
    ]
    return { identity: { type: 'BVN', number: bvn }, faults }
  }
  if (typeof identityType === 'string' && typeof identityNumber === 'string') {
    const isWrong = identityType === 'BVN' && !bvnShape.test(identityNumber)
    return {
      identity: { type: identityType, number: identityNumber },
      faults: [
        ...(isWrong ? [{ param: 'identityNumber', message: 'must be 11 digits for a BVN' }] : []),
        ...(bvn === null ? [{ param: 'bvn', message: 'cannot be cleared while an identity is given' }] : []),
      ],
    }
  }
  if (typeof identityType === 'string')
    return { identity: undefined, faults: [{ param: 'identityNumber', message: 'is required beside identityType' }] }
  if (typeof identityNumber === 'string')
    return { identity: undefined, faults: [{ param: 'identityType', message: 'is required beside identityNumber' }] }
  if (bvn === undefined && (identityType === null) !== (identityNumber === null)) {
    const param = identityType === null ? 'identityNumber' : 'identityType'
    return { identity: undefined, faults: [{ param, message: 'must be cleared together with its partner' }] }
  }
  return { identity: bvn === null || identityType === null ? null : undefined, faults: [] }
}

/** What is shown of an identity number: its last four characters, never more than half of it. */
export function maskIdentity(number: string): string {
  const shown = Math.min(4, number.length >> 1)
  return '*'.repeat(number.length - shown) + number.slice(number.length - shown)
}

/** Where an identity number is at home: moved to another customer it does not open. */
export function identityContext({ organizationId, id }: { organizationId: string; id: string }): string {
  return `customer:${organizationId}:${id}:identity`
}

export type BvnQuestion = {
  readonly bvn: string
  readonly firstName: string
  readonly lastName: string
  readonly dateOfBirth: string | null
}

/** Asks the provider whether a BVN belongs to this person; refuses where it does not, or where nobody answers. */
export async function verifyBvn({ rails }: Deps, question: BvnQuestion): Promise<void> {
  const reply = await rails.get('identity').identity.verifyBvn(question)
  if (reply.state === 'unknown') throw new Refusal('identity_provider_unavailable')
  if (reply.state === 'refused' || !reply.value.matches) throw new Refusal('identity_mismatch')
}
