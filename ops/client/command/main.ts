#!/usr/bin/env node
/** The command of the package: writes the types of a schema. */
import { runCommand } from './run.ts';

process.exitCode = await runCommand(process.argv.slice(2), process.env);
