"""How files are read, from the command line."""

from support.messy import MESSY, TARGET

BY_NAME = {messy.name: messy for messy in MESSY}


def test_a_model_reads_new_rows_as_those_that_it_learned_from(run, tmp_path):
    path = BY_NAME["german"].write(tmp_path)
    model = tmp_path / "model.json"
    status, out, _ = run("fit", path, "--target", TARGET, "--effort", "0.01", "--no-check", "--save", model)
    assert status == 0
    assert (
        "- 'income', 'rate' and 'balance' are read as numbers: '33561,58' is 33561.58. If that is wrong, add "
        "--decimal, --thousands or --type income=text.\n"
    ) in out
    clean = BY_NAME["clean"].write(tmp_path)
    assert run("predict", model, path)[1] == run("predict", model, clean)[1]
    # one row alone tells neither thousands from decimals nor day from month
    (tmp_path / "one.csv").write_text(
        "age;income;rate;balance;signed;smoker;city\n44;30.500;1,500;-6.100;03.04.2020;false;Bonn\n"
    )
    (tmp_path / "two.csv").write_text(
        "age,income,rate,balance,signed,smoker,city\n44,30500,1.5,-6100,2020-04-03,false,Bonn\n"
    )
    assert run("predict", model, tmp_path / "one.csv")[1] == run("predict", model, tmp_path / "two.csv")[1]
