/** Runs a server of S3's protocol for other hosts. Arguments: its address, its port. */
import { startS3Server } from '../s3-server.ts';

const [host = '', port = ''] = process.argv.slice(2);
const { bucket } = await startS3Server({ teardown: () => undefined }, { host, port: Number(port) });
process.stdout.write(`The bucket ${bucket} is ready\n`);
