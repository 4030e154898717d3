import { packageVersion } from '../../../app/version.ts';
import { defineCommand } from '../../command/define.ts';

export const version = defineCommand({
  name: 'version',
  summary: 'Print the version',
  run: async () => ({ version: packageVersion(), node: process.versions.node }),
  text: ({ version: own, node }) => `epistle ${own} (Node ${node})`,
});
