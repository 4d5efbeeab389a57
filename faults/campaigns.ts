import type { Campaign } from './campaign.ts';
import { aborts } from './campaigns/aborts.ts';
import { accessMatrix } from './campaigns/access-matrix.ts';
import { backupRestore } from './campaigns/backup-restore.ts';
import { canaries } from './campaigns/canaries.ts';
import { citusWorkerAdded } from './campaigns/citus-worker-added.ts';
import { citusWorkerKilled } from './campaigns/citus-worker-killed.ts';
import { clock } from './campaigns/clock.ts';
import { corruptPages } from './campaigns/corrupt-pages.ts';
import { deleteAgainstSave } from './campaigns/delete-against-save.ts';
import { diskFull } from './campaigns/disk-full.ts';
import { doubleSpend } from './campaigns/double-spend.ts';
import { duplicateCreate } from './campaigns/duplicate-create.ts';
import { erasure } from './campaigns/erasure.ts';
import { events } from './campaigns/events.ts';
import { failover } from './campaigns/failover.ts';
import { fileGone } from './campaigns/file-gone.ts';
import { flushOrder } from './campaigns/flush-order.ts';
import { forgedTokens } from './campaigns/forged-tokens.ts';
import { fuzz } from './campaigns/fuzz.ts';
import { killNine } from './campaigns/kill-nine.ts';
import { link } from './campaigns/link.ts';
import { migrationKilled } from './campaigns/migration-killed.ts';
import { migrationKilledPostgres } from './campaigns/migration-killed-postgres.ts';
import { overload } from './campaigns/overload.ts';
import { pooler } from './campaigns/pooler.ts';
import { postgresRestart } from './campaigns/postgres-restart.ts';
import { rollingRestart } from './campaigns/rolling-restart.ts';
import { slowClients } from './campaigns/slow-clients.ts';
import { soak } from './campaigns/soak.ts';
import { stall } from './campaigns/stall.ts';
import { switchover } from './campaigns/switchover.ts';
import { tokenService } from './campaigns/token-service.ts';
import { upgrade } from './campaigns/upgrade.ts';
import { webhooks } from './campaigns/webhooks.ts';

/** In the order of the table. */
export const campaigns: Campaign[] = [
  killNine,
  doubleSpend,
  duplicateCreate,
  deleteAgainstSave,
  postgresRestart,
  events,
  webhooks,
  tokenService,
  diskFull,
  corruptPages,
  link,
  fileGone,
  clock,
  slowClients,
  stall,
  aborts,
  overload,
  rollingRestart,
  failover,
  switchover,
  citusWorkerKilled,
  citusWorkerAdded,
  backupRestore,
  upgrade,
  migrationKilled,
  migrationKilledPostgres,
  flushOrder,
  pooler,
  soak,
  fuzz,
  accessMatrix,
  forgedTokens,
  canaries,
  erasure,
];
