// The real listener and all that stands behind its 250, without anybody who works on the runs.
import { startSmtpListener } from '../../../engine/gateway/smtp/listener.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { submissionSecret } from '../../../engine/workspace.ts';
import { openWorker } from '../open-worker.ts';

const { workspace, worker } = await openWorker(process.argv[2] ?? '.', false);
const { live, clock, dataDir, ids } = workspace;
const secret = submissionSecret(dataDir, ids);
const listener = await startSmtpListener({
  config: live.current().gateway,
  submissionSecret: secret,
  receive: worker.receive,
  findByAddress: (address) => live.personas().byAddress(address),
  clock,
  log: silentLog,
});
process.send?.({ port: listener.port, secret });
