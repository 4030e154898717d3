import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLiveConfigs } from '../../../engine/config/live/live.ts';
import { loadConfigs } from '../../../engine/config/load.ts';
import { temporaryWorkspace } from './temporary-workspace.ts';

const connection = { host: 'mail.example.com', user: 'agents@example.com', secret_env: 'PASSWORD' };
const files = {
  'configs/gateway.json': {
    mailboxes: [
      { id: 'main', imap: { ...connection, tls_ca_file: 'configs/ca.pem' }, smtp: connection },
      { id: 'other', smtp: { ...connection, tls_ca_file: '/etc/ssl/other.pem' } },
    ],
    smtp_listener: { tls: { cert_file: 'tls/cert.pem', key_file: 'tls/key.pem' } },
  },
};

describe('certificates named by a relative path', () => {
  it('lie in the workspace, wherever the gateway was started from', () => {
    const { path } = temporaryWorkspace(files);
    const expected = {
      mailboxes: [
        { id: 'main', imap: { tls_ca_file: join(path, 'configs/ca.pem') }, smtp: { tls_ca_file: null } },
        { id: 'other', smtp: { tls_ca_file: '/etc/ssl/other.pem' } },
      ],
      smtp_listener: { tls: { cert_file: join(path, 'tls/cert.pem'), key_file: join(path, 'tls/key.pem') } },
    };
    expect(loadConfigs(path).configs?.gateway).toMatchObject(expected);
    const live = createLiveConfigs(path, () => null);
    live.reload(true);
    expect(live.current().gateway).toMatchObject(expected);
  });
});
