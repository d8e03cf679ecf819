import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "src/api/schema.ts", "screenshots"] },
  ...tseslint.configs.strictTypeChecked,
  hooks.configs.flat.recommended,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // `onClick={() => void save()}` and `${count} files` are how this is written.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { attributes: false } }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      // About a compiler that is not used here.
      "react-hooks/incompatible-library": "off",
      "no-console": "error",
    },
  },
  { files: ["scripts/**", "public/**", "*.js"], extends: [tseslint.configs.disableTypeChecked], rules: { "no-console": "off" } },
  { files: ["e2e/**"], rules: { "no-console": "off" } },
);
