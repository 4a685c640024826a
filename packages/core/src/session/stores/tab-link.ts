/** What tabs hear of each other by; a message arrives in no tab but others, as a copy. */
export type TabChannel = {
  readonly post: (message: unknown) => void;
  readonly close: () => void;
};

/**
 * How tabs, and several sessions of one page, find each other: a lock that one of them holds at a time, and a channel.
 * Messages may be late and overtake each other; those of a tab that dies may be lost.
 */
export type TabLink = {
  /**
   * Asks for the lock of a name. `onTurn` hears false at once when another holds it, and true when it is here. The
   * function that is returned gives it back, or waits for it no more; a tab that dies gives it back.
   */
  readonly lock: (name: string, onTurn: (isHeld: boolean) => void) => () => void;
  readonly open: (name: string, onMessage: (message: unknown) => void) => TabChannel;
};
