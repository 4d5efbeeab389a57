import type { Command } from 'commander';
import { defineGroup } from './command.ts';
import { secretRotate } from './secret-rotate.ts';

export function secret(): Command {
  return defineGroup({
    name: 'secret',
    description: 'change INNKEEPER_SECRET without ending any credential',
    examples: [['secret rotate', 'seal everything under the new secret']],
  }).addCommand(secretRotate());
}
