import * as errors from '../../kit/errors.ts';

/** A stored object whose fields are not yet validated. */
export type StoredObject = { readonly [field: string]: unknown };

/** The migrations of a kind of stored object from any older version to the current one. */
export type MigrationChain = {
  /** The name of the kind in errors. */
  readonly kind: string;
  /** The field that holds the version. */
  readonly field: string;
  /** The version that this library writes and reads. */
  readonly version: number;
  /** One step per older version: the one at 1 makes version 2 out of version 1, its version field included. */
  readonly steps: { readonly [fromVersion: number]: (stored: StoredObject) => StoredObject };
};

/**
 * Migrates a stored object to the version that this library reads, one step at a time. An object without a version is
 * returned unchanged. The object itself is not modified.
 * @throws AgentError `state-version-unsupported` for a newer version, or one older than any migration; `state-invalid`
 * when a step cannot take its input.
 */
export function migrateChain(chain: MigrationChain, stored: unknown, path: string): unknown {
  const { kind, field, version: present, steps } = chain;
  let current = stored;
  for (;;) {
    if (typeof current !== 'object' || current === null) return current;
    const version = (current as StoredObject)[field];
    if (version === present || typeof version !== 'number') return current;
    const step = Object.hasOwn(steps, version) ? steps[version] : undefined;
    if (step === undefined) {
      const advice =
        version > present
          ? 'Update the library to read it.'
          : 'No migration leads from it to the present version.';
      throw errors.stateVersionUnsupported({ kind, path, version, supported: present, advice });
    }
    current = applyStep(step, current as StoredObject, path);
    const next = (current as StoredObject | null)?.[field];
    if (next !== version + 1) {
      const what = `the step from version ${version} made no version ${version + 1}`;
      throw errors.stateInvalid({ path, what });
    }
  }
}

function applyStep(
  step: (stored: StoredObject) => StoredObject,
  stored: StoredObject,
  path: string,
): StoredObject {
  try {
    // A step works on a copy, so that changes in place are undone when it fails.
    return step(structuredClone(stored));
  } catch (thrown) {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    throw errors.stateInvalid({ path, what: `a migration failed: ${what}` });
  }
}

/** The version of stored documents that this library writes and reads. */
export const documentVersion = 1;

/** One step per older version: the function at 1 makes version 2 out of version 1. */
const steps = {};

/**
 * Migrates a document to the version that this library reads.
 * @throws AgentError `state-version-unsupported` for a newer version, or one older than any migration.
 */
export function migrate(kind: string, document: unknown, path: string): unknown {
  return migrateChain({ kind, field: 'version', version: documentVersion, steps }, document, path);
}
