import type { ServicePaths } from './paths.ts';

const MARKS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const text = (value: string): string => `<string>${value.replace(/[&<>]/g, (mark) => MARKS[mark] ?? mark)}</string>`;

export const LAUNCHD_LABEL = 'org.epistle.gateway';

/** A property list for a launch agent of macOS (launchd.plist(5)). */
export function launchAgent(
  { node, program, workspace, typed }: Pick<ServicePaths, 'node' | 'program' | 'workspace' | 'typed'>,
  label = LAUNCHD_LABEL,
): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(label)}`,
    '  <key>ProgramArguments</key>',
    `  <array>${[node, program, 'start', '--quiet', '--workspace', workspace].map(text).join('')}</array>`,
    `  <key>WorkingDirectory</key>${text(workspace)}`,
    ...(typed === null
      ? []
      : [`  <key>EnvironmentVariables</key><dict><key>EPISTLE_PROGRAM</key>${text(typed)}</dict>`]),
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>5</integer>',
    '  <key>ExitTimeOut</key><integer>30</integer>',
    '  <key>Umask</key><integer>63</integer>',
    `  <key>StandardErrorPath</key>${text(`${workspace}/data/gateway.log`)}`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}
