import { packageVersion } from '../../app/version.ts';
import type { Register } from '../command.ts';

export const versionCommand: Register = (program, act) => {
  program
    .command('version')
    .description('Print the version')
    .action(
      act(async () => {
        const version = packageVersion();
        return {
          data: { version, node: process.versions.node },
          text: `epistle ${version} (Node ${process.versions.node})`,
        };
      }),
    );
};
