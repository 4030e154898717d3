import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launchAgent } from '../../../engine/service/launchd.ts';
import { systemdManager } from '../../../engine/service/manager.ts';
import { MALLOC, NODE_FLAGS, systemdUnit } from '../../../engine/service/systemd.ts';

const PLACES = {
  node: '/usr/bin/node',
  nodeRoot: '/usr',
  program: '/opt/epistle/bin/epistle.js',
  programRoot: '/opt/epistle',
  workspace: '/srv/mail',
  dataDir: '/srv/mail/data',
  typed: null,
};
const unitOf = (more: Partial<Parameters<typeof systemdUnit>[0]> = {}) =>
  systemdUnit({ ...PLACES, user: null, allowShell: false, ...more }).split('\n');
const paths = (lines: readonly string[]) => lines.filter((line) => /^(?:Bind|ReadWrite)/.test(line));

describe('a unit for systemd', () => {
  it('writes to the workspace alone', () => {
    expect(paths(unitOf())).toEqual(['ReadWritePaths="/srv/mail"']);
    expect(paths(unitOf({ dataDir: '/var/lib/epistle' }))).toEqual([
      'ReadWritePaths="/srv/mail"',
      'ReadWritePaths="/var/lib/epistle"',
    ]);
  });

  it('sees of the home folders what it needs, once', () => {
    const home = { nodeRoot: '/home/a/.nvm/v24', node: '/home/a/.nvm/v24/bin/node', workspace: '/home/a/mail' };
    expect(paths(unitOf({ ...home, dataDir: '/home/a/mail/data' }))).toEqual([
      'BindPaths="/home/a/mail"',
      'BindReadOnlyPaths="/home/a/.nvm/v24"',
    ]);
    const checkout = {
      programRoot: '/home/a/mail',
      program: '/home/a/mail/bin/epistle.js',
      nodeRoot: '/home/a/mail/.node',
    };
    expect(paths(unitOf({ ...home, ...checkout, dataDir: '/home/a/mail/data' }))).toEqual(['BindPaths="/home/a/mail"']);
  });

  it('says every word of a path as it is', () => {
    const odd = '/srv/my "mail" 100% $HOME \\n';
    const lines = unitOf({ workspace: odd, dataDir: `${odd}/data` });
    expect(lines).toContain(
      String.raw`ExecStart="/usr/bin/node" "--max-semi-space-size=8" "--heap-growing-percent=50" "/opt/epistle/bin/epistle.js" "start" "--workspace" "/srv/my \"mail\" 100%% $$HOME \\n"`,
    );
    expect(paths(lines)).toEqual([String.raw`ReadWritePaths="/srv/my \"mail\" 100%% $HOME \\n"`]);
    expect(lines).toContain(String.raw`WorkingDirectory=/srv/my "mail" 100%% $HOME \n`);
  });

  it('names commands in mails as they are typed where it was installed', () => {
    expect(unitOf().filter((line) => line.includes('EPISTLE_PROGRAM'))).toEqual([]);
    expect(unitOf({ typed: './scripts/epistle' })).toContain('Environment="EPISTLE_PROGRAM=./scripts/epistle"');
    expect(unitOf({ typed: '/a "b"/100%/$x' })).toContain(String.raw`Environment="EPISTLE_PROGRAM=/a \"b\"/100%%/$x"`);
    const dict = '<dict><key>EPISTLE_PROGRAM</key><string>npx epistle</string></dict>';
    expect(launchAgent({ ...PLACES, typed: 'npx epistle' })).toContain(`<key>EnvironmentVariables</key>${dict}`);
  });

  it('takes no more memory than a gateway that a person starts', () => {
    const script = readFileSync(new URL('../../../scripts/lib/runtime.sh', import.meta.url), 'utf8');
    const [, flags = ''] = /^modest_node=\(node (.*) --disable-warning/m.exec(script) ?? [];
    expect(flags.split(' ')).toEqual(NODE_FLAGS);
    const said = [...script.matchAll(/(MALLOC_\w+)="\$\{\1:-(\d+)\}"/g)].map(([, name, value]) => [name, value]);
    expect(Object.fromEntries(said)).toEqual(MALLOC);
    expect(unitOf()).toContain('Environment=MALLOC_ARENA_MAX=2');
  });

  it('lets the tool shell make namespaces where it is asked to', () => {
    expect(unitOf()).toContain('RestrictNamespaces=yes');
    expect(unitOf({ allowShell: true }).filter((line) => /Namespaces|Proc|SystemCallFilter/.test(line))).toEqual([]);
  });

  it('is of an account, or of the system', () => {
    expect(unitOf()).toContain('WantedBy=default.target');
    expect(unitOf({ user: 'mail' })).toEqual(expect.arrayContaining(['User=mail', 'WantedBy=multi-user.target']));
    const own = systemdManager('epistle', { home: '/home/a', uid: 1000 });
    expect(own.file).toBe('/home/a/.config/systemd/user/epistle.service');
    expect(own.start.map((command) => command.join(' '))).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable --now epistle',
    ]);
    expect(own.stay).toEqual(['loginctl', 'enable-linger']);
    expect(systemdManager('epistle', 'system').stay).toBeNull();
    expect(systemdManager('epistle', 'system').file).toBe('/etc/systemd/system/epistle.service');
  });
});

describe('a launch agent', () => {
  it('starts the gateway again when it fails, and takes paths as text', () => {
    const plist = launchAgent({ ...PLACES, workspace: '/Users/a/R&D <mail>' });
    expect(plist).toContain('<string>/Users/a/R&amp;D &lt;mail&gt;</string>');
    expect(plist).toContain('<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>');
  });
});
