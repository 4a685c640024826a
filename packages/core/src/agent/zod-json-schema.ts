import * as z from 'zod/mini';
import type { JsonObject } from '../kit/json.ts';
import type { Direction, Schema } from './schema.ts';

/**
 * Converts a zod schema without a converter of its own (`zod/mini`) by that of zod. It takes 7 kB, so only an agent
 * with such a schema loads it.
 * @throws Error that names the type that JSON Schema cannot express, and its place.
 */
export function zodJsonSchema(schema: Schema, direction: Direction): JsonObject {
  return z.toJSONSchema(schema as unknown as z.core.$ZodType, {
    io: direction,
    unrepresentable({ path, message }) {
      throw new Error(path.length === 0 ? message : `${message}, at ${path.join('.')}`);
    },
  }) as JsonObject;
}
