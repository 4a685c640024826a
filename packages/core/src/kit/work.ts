/**
 * Units of work that must not grow with a conversation: objects walked, compared or indexed. Items of lists that are
 * copied count apart, because a copy of a list costs about a nanosecond an item. Tests count both, because time says
 * little on a busy machine.
 */
export const work = { units: 0, copied: 0 };
