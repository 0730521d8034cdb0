/** Makes something when it is first asked for. Built at start, validators and serializers were half the way to readiness. */
export function atFirstUse<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
