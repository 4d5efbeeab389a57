import type { Command } from 'commander';
import { appCreate } from './app-create.ts';
import { appDelete } from './app-delete.ts';
import { appList } from './app-list.ts';
import { appRotateSecret } from './app-rotate-secret.ts';
import { appSet } from './app-set.ts';
import { appShow } from './app-show.ts';
import { defineGroup } from './command.ts';

export function app(): Command {
  return defineGroup({
    name: 'app',
    description: 'manage applications, their credentials and settings',
    examples: [
      ['app create --name "Acme web"', 'create an application; credentials are shown once'],
      ['app list', 'list applications'],
      ['app set 123456789_4f2c accessTokenTtl=2h', 'change a setting'],
    ],
  })
    .addCommand(appCreate())
    .addCommand(appList())
    .addCommand(appShow())
    .addCommand(appSet())
    .addCommand(appRotateSecret())
    .addCommand(appDelete());
}
