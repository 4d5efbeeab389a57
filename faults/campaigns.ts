import type { Campaign } from './campaign.ts';
import { killNine } from './campaigns/kill-nine.ts';

/** In the order of the table. */
export const campaigns: Campaign[] = [killNine];
