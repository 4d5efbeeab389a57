import type { Campaign } from './campaign.ts';
import { deleteAgainstSave } from './campaigns/delete-against-save.ts';
import { diskFull } from './campaigns/disk-full.ts';
import { doubleSpend } from './campaigns/double-spend.ts';
import { duplicateCreate } from './campaigns/duplicate-create.ts';
import { failover } from './campaigns/failover.ts';
import { killNine } from './campaigns/kill-nine.ts';
import { overload } from './campaigns/overload.ts';
import { postgresRestart } from './campaigns/postgres-restart.ts';
import { rollingRestart } from './campaigns/rolling-restart.ts';
import { slowClients } from './campaigns/slow-clients.ts';
import { tokenService } from './campaigns/token-service.ts';

/** In the order of the table. */
export const campaigns: Campaign[] = [
  killNine,
  doubleSpend,
  duplicateCreate,
  deleteAgainstSave,
  postgresRestart,
  tokenService,
  diskFull,
  slowClients,
  overload,
  rollingRestart,
  failover,
];
