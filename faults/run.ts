import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Campaign } from './campaign.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { type CampaignResult, hasHeld, runCampaign } from './run-campaign.ts';
import { head, tableLines } from './table.ts';
import { writeDocs } from './write-docs.ts';

/** npm run faults: causes faults and counts what is lost. docs/reliability.md has the figures. */
try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else if (options.list) list(options);
  else process.exitCode = (await run(options)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

function list({ campaigns }: Options): void {
  for (const { name, title, promise, operatorSees, unit, times, control } of campaigns) {
    console.log(`${name}: ${title}\n    ${times.short} ${unit}, or ${times.full} with --full`);
    console.log(`    must hold: ${promise}\n    an operator sees: ${operatorSees}\n    control: ${control.what}`);
  }
}

async function run(options: Options): Promise<boolean> {
  const folder = await mkdtemp(join(options.folder, 'innkeeper-faults-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  console.log(head());
  const ran: [Campaign, CampaignResult][] = [];
  for (const campaign of options.campaigns) {
    const result = await runCampaign(campaign, { isFull: options.isFull, times: options.times, folder });
    ran.push([campaign, result]);
    console.log(tableLines(campaign, result).join('\n'));
  }
  if (options.writeDocs) await writeDocs(ran, options.isFull);
  return ran.every(([, result]) => hasHeld(result));
}
