import type { Part } from './part.ts'

/** The provider's parts, by capability. Each adds its routes. */
export const parts: Readonly<Record<string, (part: Part) => void>> = {}
