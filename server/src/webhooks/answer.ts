import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

/** An answer's body is read this far, decompressed, so that a short one leaves its connection usable. */
export const MAX_READ_BYTES = 64 * 1024
/** This much of it is kept, enough for a developer to see what the endpoint said. */
export const MAX_KEPT_BYTES = 4 * 1024

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

export type AnswerBody = {
  /** Takes a piece as it came over the wire. */
  write(piece: Buffer): void
  /** What is kept, once everything written has been decoded. */
  finish(): Promise<string>
}

/**
 * Collects the beginning of a body and counts it after decompression; calls `onFull` when it is longer than we read.
 * However much arrives or unfolds, no more than the limits is held.
 */
export function collectBody(encoding: string | undefined, onFull: () => void): AnswerBody {
  const kept: Buffer[] = []
  let keptBytes = 0
  let readBytes = 0
  let isFull = false

  function take(piece: Buffer): void {
    if (isFull) return
    readBytes += piece.length
    const room = MAX_KEPT_BYTES - keptBytes
    if (room > 0) {
      kept.push(Buffer.from(piece.subarray(0, room)))
      keptBytes += Math.min(room, piece.length)
    }
    if (readBytes > MAX_READ_BYTES) {
      isFull = true
      onFull()
    }
  }
  const text = () => readable(Buffer.concat(kept), readBytes > keptBytes)

  const decode = decoders[(encoding ?? '').trim().toLowerCase()]
  if (!decode) return { write: take, finish: async () => text() }

  const decoder = decode()
  const ended = new Promise<void>((resolve) => {
    decoder.on('end', resolve).on('close', resolve)
    // What cannot be decoded ends here; what could be is kept.
    decoder.on('error', () => resolve())
  })
  let wireBytes = 0
  decoder.on('data', (piece: Buffer) => {
    take(piece)
    if (isFull) decoder.destroy()
  })
  return {
    write(piece) {
      if (decoder.destroyed) return
      decoder.write(piece)
      wireBytes += piece.length
      if (wireBytes > MAX_READ_BYTES && !isFull) {
        isFull = true
        onFull()
      }
    },
    async finish() {
      if (!decoder.destroyed) decoder.end()
      await ended
      return text()
    },
  }
}

/** Text that PostgreSQL can hold: invalid bytes replaced, NUL taken out, a character cut in two at the end left out. */
function readable(bytes: Buffer, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut }).replaceAll('\0', '')
}
