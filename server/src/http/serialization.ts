import buildSerializer, { type AnySchema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.d.ts'
import { atFirstUse } from '../first-use.ts'

/** Answers are written by their schema. Routes share schemas, and so what is built of them. */
export function serializerCompiler(): FastifySerializerCompiler<AnySchema> {
  const shared = new WeakMap<object, () => (answer: unknown) => string>()
  return ({ schema }) => {
    const serializer = shared.get(schema) ?? atFirstUse(() => buildSerializer(schema))
    shared.set(schema, serializer)
    return (answer) => serializer()(answer)
  }
}
