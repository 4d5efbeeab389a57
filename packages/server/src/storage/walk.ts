import type { HistoryPlace } from './port.ts';

/** Rows that a walk reads at once, if they are small. */
export const WALK_ROWS = 500;

/** Where a walk through a history begins: before all possible entries. */
export const LAST_PLACE: HistoryPlace = { selectionId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', eventNo: 2 ** 31 - 1 };
