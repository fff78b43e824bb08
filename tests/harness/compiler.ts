/** Compiles TypeScript in tests, and compares values with the inferred types. */
import ts from 'typescript';
import { isJsonObject } from '#core/base/json/json-object.ts';

/** As strict as a client's program can be, with access to sources of this repository. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

export interface Compiled {
  readonly program: ts.Program;
  /** The compiler errors, as `file:line text`; lines count from 1. */
  readonly errors: readonly string[];
}

/** Compiles files with their imports. */
export function compile(...files: readonly string[]): Compiled {
  const program = ts.createProgram(files, OPTIONS);
  const errors = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
    return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
  return { program, errors };
}

/** The result type of a function in a file, without its promise. */
export function yieldOf({ program }: Compiled, file: string, name: string): ts.Type {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  const found = symbol && checker.getExportsOfModule(symbol).find((one) => one.name === name);
  const [call] = found ? checker.getTypeOfSymbol(found).getCallSignatures() : [];
  if (call === undefined) throw new Error(`${file} exports no function ${name}`);
  const yielded = checker.getReturnTypeOfSignature(call);
  return checker.getAwaitedType(yielded) ?? yielded;
}

function matchesPrimitive(type: ts.Type, value: unknown): boolean | null {
  if (type.flags & ts.TypeFlags.Unknown) return true;
  if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value;
  if (type.flags & ts.TypeFlags.BooleanLiteral) {
    return (
      typeof value === 'boolean' && Object.is(Reflect.get(type, 'intrinsicName'), String(value))
    );
  }
  if (type.flags & ts.TypeFlags.String) return typeof value === 'string';
  if (type.flags & ts.TypeFlags.Number) return typeof value === 'number';
  if (type.flags & ts.TypeFlags.Null) return value === null;
  if (type.flags & ts.TypeFlags.Undefined) return value === undefined;
  return null;
}

/**
 * Paths where a value does not match its type, with reasons. Objects must have exactly the members
 * of their type.
 */
export function misfits({ program }: Compiled, type: ts.Type, value: unknown): string[] {
  const checker = program.getTypeChecker();
  const name = (one: ts.Type) => checker.typeToString(one);

  function list(one: ts.Type, items: unknown, path: string): string[] {
    if (!Array.isArray(items)) return [`${path}: no list, but ${JSON.stringify(items)}`];
    return items.flatMap((item, index) => {
      const element = elementOf(one, index);
      const place = `${path}[${index}]`;
      return element === undefined ? [`${place}: too many`] : at(element, item, place);
    });
  }

  function elementOf(one: ts.Type, index: number): ts.Type | undefined {
    const own = checker.isTupleType(one)
      ? checker.getPropertyOfType(one, String(index))
      : undefined;
    return own
      ? checker.getTypeOfSymbol(own)
      : checker.getIndexTypeOfType(one, ts.IndexKind.Number);
  }

  function object(one: ts.Type, members: unknown, path: string): string[] {
    if (!isJsonObject(members)) return [`${path}: no object, but ${JSON.stringify(members)}`];
    const properties = checker.getPropertiesOfType(one);
    const index = checker.getIndexInfosOfType(one)[0];
    const known = new Set(properties.map((property) => property.name));
    const unknown = index ? [] : Object.keys(members).filter((key) => !known.has(key));
    return [
      ...unknown.map((key) => `${path}.${key}: not in the type`),
      ...properties.flatMap((property) =>
        at(checker.getTypeOfSymbol(property), members[property.name], `${path}.${property.name}`),
      ),
    ];
  }

  function at(one: ts.Type, found: unknown, path: string): string[] {
    if (one.isUnion()) {
      const tries = one.types.map((option) => at(option, found, path));
      const [best = []] = tries.sort((a, b) => a.length - b.length);
      return best.length === 0 ? [] : [`${path}: ${JSON.stringify(found)} is no ${name(one)}`];
    }
    const matches = matchesPrimitive(one, found);
    if (matches !== null) {
      return matches ? [] : [`${path}: ${JSON.stringify(found)} is no ${name(one)}`];
    }
    return checker.isArrayType(one) || checker.isTupleType(one)
      ? list(one, found, path)
      : object(one, found, path);
  }

  return at(type, value, '');
}
