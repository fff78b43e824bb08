/** Runs a server of S3's protocol for other hosts. Arguments: its address, its port. */
import { startS3Server } from '../s3-server.ts';

// s3rver throws where nobody catches it when a client goes away while it writes.
process.on('uncaughtException', (error) => process.stderr.write(`${error.stack}\n`));
const [host = '', port = ''] = process.argv.slice(2);
const { bucket } = await startS3Server({ teardown: () => undefined }, { host, port: Number(port) });
process.stdout.write(`The bucket ${bucket} is ready\n`);
