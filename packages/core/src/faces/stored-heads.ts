// What servers of sessions need of heads, and the stores as well: bindings of their own, as in runs.ts.
import { storedHeadTag as tagOf } from '../session/stores/rows/stored-head-tag.ts';
import { storedHeadVersion as versionOf } from '../session/stores/rows/stored-head-version.ts';

/** A short name of one stage of a session, for `ETag` and `If-Match`; damaged heads have one too. */
export const storedHeadTag: typeof tagOf = tagOf;
/** The version of a session by its stored head, after checking that it is whole and of this session; throws `state-invalid`. */
export const storedHeadVersion: typeof versionOf = versionOf;
