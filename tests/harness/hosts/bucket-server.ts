/** Runs an S3-compatible server for other hosts. Arguments: its address, its port. */
import { startS3Server } from '../s3-server.ts';

// s3rver throws an uncaught error when a client disconnects during a write.
process.on('uncaughtException', (error) => process.stderr.write(`${error.stack}\n`));
const [host = '', port = ''] = process.argv.slice(2);
const { bucket } = await startS3Server({ teardown: () => undefined }, { host, port: Number(port) });
process.stdout.write(`The bucket ${bucket} is ready\n`);
