/** A workflow with inputs, outputs and items. */
export const hello = `name: hello
inputs:
  who: { type: string, default: world }
  times: { type: number, default: 1 }
steps:
  greet:
    run: |
      echo "hello \${{ inputs.who }}"
      echo "text=hello \${{ inputs.who }}" >> "$WORKFLOW_OUTPUT"
      echo 'times:=\${{ inputs.times }}' >> "$WORKFLOW_OUTPUT"
  twice:
    needs: [greet]
    forEach: [1, 2, 3]
    run: echo item \${{ item }}
outputs:
  text: \${{ steps.greet.outputs.text }}
  times: \${{ steps.greet.outputs.times }}
`;

/** What the tests of the command give to it, by file name. */
export const commandFiles: Readonly<Record<string, string>> = {
  'hello.yaml': hello,
  'failing.yaml':
    'name: failing\nsteps:\n  bad: { run: "echo on its way; exit 3" }\n  after: { needs: [bad], run: echo }\n',
  'long.yaml': 'name: long\nsteps:\n  wait: { run: "echo begun; sleep 100" }\n',
  'secret.yaml': 'name: secret\nsteps:\n  say: { run: "echo got $TOKEN", secretEnv: { TOKEN: deploy/token } }\n',
};
