// CJS has no await at the top level: the same program for it has its statements in an async function.
import ts from 'typescript';

/**
 * Moves everything but the imports of a program into an async function that is called at once.
 * @param {string} code
 */
export function inAsyncFunction(code) {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest);
  const imports = source.statements.filter(ts.isImportDeclaration).map((statement) => statement.getFullText(source));
  const others = source.statements.filter((statement) => !ts.isImportDeclaration(statement));
  const body = others.map((statement) => statement.getFullText(source)).join('');
  return `${imports.join('')}\n\nasync function main() {${body}\n}\n\nvoid main();\n`;
}
