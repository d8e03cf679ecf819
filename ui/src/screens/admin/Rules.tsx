/** The tenant's rules: masked regions of pages, and the stages of the pipeline. */
import "./rules.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeRules, listDocuments, readTenant } from "../../api/endpoints.ts";
import type { Mask, Rules as RulesOfTenant } from "../../api/types.ts";
import { Button, Field, ProblemNote, SkeletonRows } from "../../design/basics.tsx";
import { showNotice } from "../../live/notices.ts";
import { MaskDrawing } from "./MaskDrawing.tsx";
import { MaskFields, MaskList } from "./MaskFields.tsx";
import { asSent, maskProblem } from "./masks.ts";

export function Rules() {
  const tenant = useQuery({ queryKey: ["tenant"], queryFn: readTenant });
  if (tenant.error) return <ProblemNote error={tenant.error} onRetry={() => void tenant.refetch()} />;
  if (!tenant.data) return <SkeletonRows rows={8} />;
  const saved = asSent(tenant.data.rules);
  // Start over when another administrator saved rules.
  return <RulesEditor key={JSON.stringify(saved)} saved={saved} stages={tenant.data.stages} />;
}

function RulesEditor({ saved, stages }: { saved: RulesOfTenant; stages: readonly string[] }) {
  const client = useQueryClient();
  const [masks, setMasks] = useState<readonly Mask[]>(saved.masks ?? []);
  const [pipeline, setPipeline] = useState<readonly string[]>(saved.pipeline ?? []);
  const rules = asSent({ masks: [...masks], pipeline: [...pipeline] });
  const isChanged = JSON.stringify(rules) !== JSON.stringify(saved);
  const isValid = masks.every((mask) => maskProblem(mask) === null);
  const save = useMutation({
    mutationFn: () => changeRules(rules),
    onSuccess: () => {
      showNotice({ tone: "good", text: "Rules saved. They apply to new uploads and reruns." });
      return client.invalidateQueries({ queryKey: ["tenant"] });
    },
  });
  const discard = () => {
    setMasks(saved.masks ?? []);
    setPipeline(saved.pipeline ?? []);
  };
  return (
    <>
      <Masks masks={masks} onChange={setMasks} />
      <Stages known={stages} pipeline={pipeline} onChange={setPipeline} />
      {save.error && <ProblemNote error={save.error} />}
      <div className="rules-foot">
        <p className="quiet">Existing documents keep their results until you rerun them.</p>
        <Button disabled={!isChanged || save.isPending} onClick={discard}>Discard</Button>
        <Button kind="primary" disabled={!isChanged || !isValid || save.isPending} onClick={() => save.mutate()}>Save rules</Button>
      </div>
    </>
  );
}

function Masks({ masks, onChange }: { masks: readonly Mask[]; onChange: (masks: readonly Mask[]) => void }) {
  const [chosen, setChosen] = useState<number | null>(masks.length > 0 ? 0 : null);
  const [shown, setShown] = useState("");
  const mask = chosen === null ? undefined : masks[chosen];
  const change = (at: number, how: Partial<Mask>) => onChange(masks.map((other, place) => (place === at ? { ...other, ...how } : other)));
  const add = (box: readonly number[]) => {
    onChange([...masks, { box: [...box] }]);
    setChosen(masks.length);
  };
  const remove = (at: number) => {
    onChange(masks.filter((_, place) => place !== at));
    setChosen(masks.length > 1 ? Math.max(0, at - 1) : null);
  };
  return (
    <section className="card" aria-labelledby="masks">
      <div className="card-head"><h2 id="masks">Masked regions</h2><Button icon="plus" onClick={() => add([0, 0.9, 1, 1])}>Add region</Button></div>
      <div className="card-body masks">
        <div className="masks-drawing">
          <MaskDrawing masks={masks} chosen={chosen} preview={shown ? { id: shown, page: mask?.page ?? 1 } : null} onChoose={setChosen} onDraw={add} onMove={(at, box) => change(at, { box: [...box] })} />
          <PreviewChoice shown={shown} onShow={setShown} />
        </div>
        <div className="masks-fields">
          <p className="quiet">Docket blanks out masked regions before it reads a page, and in page images. Draw a region on the page; drag it to move it.</p>
          <MaskList masks={masks} chosen={chosen} onChoose={setChosen} onRemove={remove} />
          {mask && chosen !== null && <MaskFields key={chosen} mask={mask} onChange={(how) => change(chosen, how)} />}
        </div>
      </div>
    </section>
  );
}

/** The document to preview the masks on. */
function PreviewChoice({ shown, onShow }: { shown: string; onShow: (id: string) => void }) {
  const documents = useQuery({ queryKey: ["documents", "to-mask"], queryFn: () => listDocuments({ status: "active", limit: 50 }) });
  const withPages = documents.data?.items.filter(({ file_kind: type }) => ["pdf", "png", "jpg", "tiff"].includes(type)) ?? [];
  return (
    <Field label="Preview on">
      <select className="input" value={shown} onChange={(event) => onShow(event.target.value)}>
        <option value="">an empty page</option>
        {withPages.map((document) => <option key={document.doc_id} value={document.doc_id}>{document.title}</option>)}
      </select>
    </Field>
  );
}

function Stages({ known, pipeline, onChange }: { known: readonly string[]; pipeline: readonly string[]; onChange: (pipeline: readonly string[]) => void }) {
  const isDefault = pipeline.length === 0;
  return (
    <section className="card" aria-labelledby="stages">
      <div className="card-head"><h2 id="stages">Stages</h2></div>
      <div className="card-body stages-choice">
        <label className="choice"><input type="radio" className="check" name="stages" checked={isDefault} onChange={() => onChange([])} /> Default pipeline</label>
        <label className="choice"><input type="radio" className="check" name="stages" checked={!isDefault} onChange={() => onChange(known)} /> Only these stages (a batch can override this):</label>
        <div className="kinds" role="group" aria-label="Stages of the pipeline">
          {known.map((stage) => (
            <label key={stage} className="choice">
              <input type="checkbox" className="check" disabled={isDefault} checked={isDefault || pipeline.includes(stage)} onChange={(event) => onChange(known.filter((name) => (name === stage ? event.target.checked : pipeline.includes(name))))} /> {stage}
            </label>
          ))}
        </div>
      </div>
    </section>
  );
}
