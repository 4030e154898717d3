import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { root } from '../../../house/sources.ts';

const LOG = pathToFileURL(`${root}/engine/lib/log/log.ts`).href;

describe('the log for people', () => {
  it('keeps each text in its own field and on its own line', () => {
    const fields = { from: 'eve@evil.test', subject: 'Hi" to=ben message_id=<x@y.test>', error: 'one\ntwo', waitMs: 5 };
    const code = `import { createLog } from '${LOG}';
      createLog({ level: 'info', format: 'pretty' }).info(${JSON.stringify(fields)}, 'mail refused');`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining(
        'info  mail refused  from=eve@evil.test subject="Hi\\" to=ben message_id=<x@y.test>" error="one\\ntwo" waitMs=5',
      ),
      '',
    ]);
  });
});
